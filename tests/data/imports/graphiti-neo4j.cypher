:begin
CREATE FULLTEXT INDEX community_name FOR (n:Community) ON EACH [n.`name`,n.`group_id`];
CREATE FULLTEXT INDEX edge_name_and_fact FOR ()-[rel:RELATES_TO]-() ON EACH [rel.`name`,rel.`fact`,rel.`group_id`];
CREATE FULLTEXT INDEX episode_content FOR (n:Episodic) ON EACH [n.`content`,n.`source`,n.`source_description`,n.`group_id`];
CREATE FULLTEXT INDEX node_name_and_summary FOR (n:Entity) ON EACH [n.`name`,n.`summary`,n.`group_id`];
CREATE RANGE INDEX FOR ()-[rel:HAS_EPISODE]-() ON (rel.group_id);
CREATE RANGE INDEX FOR ()-[rel:HAS_EPISODE]-() ON (rel.uuid);
CREATE RANGE INDEX FOR ()-[rel:HAS_MEMBER]-() ON (rel.uuid);
CREATE RANGE INDEX FOR ()-[rel:MENTIONS]-() ON (rel.group_id);
CREATE RANGE INDEX FOR ()-[rel:MENTIONS]-() ON (rel.uuid);
CREATE RANGE INDEX FOR ()-[rel:NEXT_EPISODE]-() ON (rel.group_id);
CREATE RANGE INDEX FOR ()-[rel:NEXT_EPISODE]-() ON (rel.uuid);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.created_at);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.expired_at);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.group_id);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.invalid_at);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.name);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.uuid);
CREATE RANGE INDEX FOR ()-[rel:RELATES_TO]-() ON (rel.valid_at);
CREATE RANGE INDEX FOR (n:Community) ON (n.group_id);
CREATE RANGE INDEX FOR (n:Community) ON (n.uuid);
CREATE RANGE INDEX FOR (n:Entity) ON (n.created_at);
CREATE RANGE INDEX FOR (n:Entity) ON (n.group_id);
CREATE RANGE INDEX FOR (n:Entity) ON (n.name);
CREATE RANGE INDEX FOR (n:Entity) ON (n.uuid);
CREATE RANGE INDEX FOR (n:Episodic) ON (n.created_at);
CREATE RANGE INDEX FOR (n:Episodic) ON (n.group_id);
CREATE RANGE INDEX FOR (n:Episodic) ON (n.uuid);
CREATE RANGE INDEX FOR (n:Episodic) ON (n.valid_at);
CREATE RANGE INDEX FOR (n:Saga) ON (n.group_id);
CREATE RANGE INDEX FOR (n:Saga) ON (n.name);
CREATE RANGE INDEX FOR (n:Saga) ON (n.uuid);
CREATE CONSTRAINT UNIQUE_IMPORT_NAME FOR (node:`UNIQUE IMPORT LABEL`) REQUIRE (node.`UNIQUE IMPORT ID`) IS UNIQUE;
:commit
CALL db.awaitIndexes(300);
:begin
UNWIND [{_id:3, properties:{summary:"Ana Silva is a staff engineer at Lumen Labs; she speaks \"Portuguese\".", role:"staff engineer", group_id:"harbor", name:"Ana Silva", created_at:datetime('2025-03-11T09:00:06Z'), uuid:"0000000b-aaaa-4bbb-8ccc-00000000000b", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], years:7}}, {_id:8, properties:{summary:"", group_id:"harbor", name:"Ben Okafor", created_at:datetime('2026-02-03T08:00:01Z'), uuid:"00000010-aaaa-4bbb-8ccc-000000000010", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}, {_id:9, properties:{summary:"", group_id:"harbor", name:"B. Okafor", created_at:datetime('2026-02-03T08:00:01Z'), uuid:"00000011-aaaa-4bbb-8ccc-000000000011", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Entity:Person;
UNWIND [{_id:6, properties:{summary:"", group_id:"harbor", name:"MySQL 8", created_at:datetime('2026-02-02T08:00:01Z'), uuid:"0000000e-aaaa-4bbb-8ccc-00000000000e", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}, {_id:7, properties:{summary:"", group_id:"harbor", name:"Postgres 16", created_at:datetime('2026-02-02T08:00:01Z'), uuid:"0000000f-aaaa-4bbb-8ccc-00000000000f", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Entity:Technology;
UNWIND [{_id:10, properties:{summary:"", group_id:"harbor", name:"HX-12", created_at:datetime('2026-02-03T08:00:01Z'), uuid:"00000012-aaaa-4bbb-8ccc-000000000012", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Entity;
UNWIND [{_id:5, properties:{summary:"Harbor stores its data in Postgres 16.", group_id:"harbor", name:"Harbor", created_at:datetime('2026-02-02T08:00:01Z'), uuid:"0000000d-aaaa-4bbb-8ccc-00000000000d", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Entity:Project;
UNWIND [{_id:4, properties:{summary:"", group_id:"harbor", name:"Lumen Labs", created_at:datetime('2025-03-11T09:00:06Z'), uuid:"0000000c-aaaa-4bbb-8ccc-00000000000c", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Entity:Organization;
UNWIND [{_id:0, properties:{entity_edges:["0000001f-aaaa-4bbb-8ccc-00000000001f"], group_id:"harbor", name:"Standup", created_at:datetime('2025-03-11T09:00:05Z'), source:"message", uuid:"00000001-aaaa-4bbb-8ccc-000000000001", content:"ana: I joined Lumen Labs as staff engineer last week.", source_description:"team chat", valid_at:datetime('2025-03-10T09:00:00Z')}}, {_id:1, properties:{entity_edges:["00000020-aaaa-4bbb-8ccc-000000000020", "00000021-aaaa-4bbb-8ccc-000000000021"], group_id:"harbor", name:"Release note", created_at:datetime('2026-02-02T08:00:00Z'), source:"text", uuid:"00000002-aaaa-4bbb-8ccc-000000000002", content:"Harbor moved from MySQL 8 to Postgres 16 on 1 February 2026. It's live.", source_description:"release notes", valid_at:datetime('2026-02-02T07:30:00Z')}}, {_id:2, properties:{entity_edges:["00000022-aaaa-4bbb-8ccc-000000000022"], group_id:"harbor", name:"Ticket", created_at:datetime('2026-02-03T08:00:00Z'), source:"json", uuid:"00000003-aaaa-4bbb-8ccc-000000000003", content:"{\"id\": \"HX-12\", \"assignee\": \"Ben Okafor\"}", source_description:"tracker", valid_at:datetime('2026-02-03T08:00:00Z')}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Episodic;
UNWIND [{_id:11, properties:{summary:"The office town.", group_id:"harbor", name:"Porto", created_at:datetime('2026-02-03T08:00:01Z'), uuid:"00000013-aaaa-4bbb-8ccc-000000000013", name_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Entity:Location;
UNWIND [{_id:12, properties:{summary:"The move to Postgres.", group_id:"harbor", name:"storage move", created_at:datetime('2026-02-02T08:00:00Z'), uuid:"00000033-aaaa-4bbb-8ccc-000000000033"}}] AS row
CREATE (n:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row._id}) SET n += row.properties SET n:Saga;
:commit
:begin
UNWIND [{start: {_id:5}, end: {_id:6}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"Harbor stores its data in MySQL 8.", group_id:"harbor", name:"STORES_DATA_IN", target_uuid:"0000000e-aaaa-4bbb-8ccc-00000000000e", created_at:datetime('2025-03-11T09:00:08Z'), source_uuid:"0000000d-aaaa-4bbb-8ccc-00000000000d", invalid_at:datetime('2026-02-01T00:00:00Z'), expired_at:datetime('2026-02-02T08:00:02Z'), uuid:"00000020-aaaa-4bbb-8ccc-000000000020", episodes:["00000001-aaaa-4bbb-8ccc-000000000001"], valid_at:datetime('2024-05-01T00:00:00Z')}}, {start: {_id:5}, end: {_id:7}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"Harbor stores its data in Postgres 16.", group_id:"harbor", name:"STORES_DATA_IN", target_uuid:"0000000f-aaaa-4bbb-8ccc-00000000000f", created_at:datetime('2026-02-02T08:00:02Z'), source_uuid:"0000000d-aaaa-4bbb-8ccc-00000000000d", uuid:"00000021-aaaa-4bbb-8ccc-000000000021", episodes:["00000002-aaaa-4bbb-8ccc-000000000002"], valid_at:datetime('2026-02-01T00:00:00Z')}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:RELATES_TO]->(end) SET r += row.properties;
UNWIND [{start: {_id:9}, end: {_id:8}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"B. Okafor is a duplicate of Ben Okafor", group_id:"harbor", name:"IS_DUPLICATE_OF", target_uuid:"00000010-aaaa-4bbb-8ccc-000000000010", created_at:datetime('2026-02-03T08:00:03Z'), source_uuid:"00000011-aaaa-4bbb-8ccc-000000000011", uuid:"00000024-aaaa-4bbb-8ccc-000000000024", episodes:["00000003-aaaa-4bbb-8ccc-000000000003"]}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:RELATES_TO]->(end) SET r += row.properties;
UNWIND [{start: {_id:12}, end: {_id:0}, properties:{group_id:"harbor", created_at:datetime('2026-02-02T08:00:00Z'), uuid:"0000003d-aaaa-4bbb-8ccc-00000000003d"}}, {start: {_id:12}, end: {_id:1}, properties:{group_id:"harbor", created_at:datetime('2026-02-02T08:00:00Z'), uuid:"0000003e-aaaa-4bbb-8ccc-00000000003e"}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:HAS_EPISODE]->(end) SET r += row.properties;
UNWIND [{start: {_id:2}, end: {_id:11}, properties:{group_id:"harbor", created_at:datetime('2026-02-03T08:00:04Z'), uuid:"0000002d-aaaa-4bbb-8ccc-00000000002d"}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:MENTIONS]->(end) SET r += row.properties;
UNWIND [{start: {_id:3}, end: {_id:4}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"Ana Silva works at Lumen Labs.", group_id:"harbor", name:"WORKS_AT", target_uuid:"0000000c-aaaa-4bbb-8ccc-00000000000c", created_at:datetime('2025-03-11T09:00:07Z'), source_uuid:"0000000b-aaaa-4bbb-8ccc-00000000000b", title:"staff engineer", uuid:"0000001f-aaaa-4bbb-8ccc-00000000001f", episodes:["00000001-aaaa-4bbb-8ccc-000000000001"], valid_at:datetime('2025-03-03T00:00:00Z')}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:RELATES_TO]->(end) SET r += row.properties;
UNWIND [{start: {_id:10}, end: {_id:8}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"HX-12 is assigned to Ben Okafor.", group_id:"harbor", name:"ASSIGNED_TO", target_uuid:"00000010-aaaa-4bbb-8ccc-000000000010", created_at:datetime('2026-02-03T08:00:02Z'), source_uuid:"00000012-aaaa-4bbb-8ccc-000000000012", uuid:"00000022-aaaa-4bbb-8ccc-000000000022", episodes:["00000003-aaaa-4bbb-8ccc-000000000003"], valid_at:datetime('2026-02-03T08:00:00Z')}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:RELATES_TO]->(end) SET r += row.properties;
UNWIND [{start: {_id:0}, end: {_id:3}, properties:{group_id:"harbor", created_at:datetime('2026-02-03T08:00:04Z'), uuid:"00000029-aaaa-4bbb-8ccc-000000000029"}}, {start: {_id:2}, end: {_id:8}, properties:{group_id:"harbor", created_at:datetime('2026-02-03T08:00:04Z'), uuid:"0000002c-aaaa-4bbb-8ccc-00000000002c"}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:MENTIONS]->(end) SET r += row.properties;
UNWIND [{start: {_id:0}, end: {_id:4}, properties:{group_id:"harbor", created_at:datetime('2026-02-03T08:00:04Z'), uuid:"0000002a-aaaa-4bbb-8ccc-00000000002a"}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:MENTIONS]->(end) SET r += row.properties;
UNWIND [{start: {_id:1}, end: {_id:5}, properties:{group_id:"harbor", created_at:datetime('2026-02-03T08:00:04Z'), uuid:"0000002b-aaaa-4bbb-8ccc-00000000002b"}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:MENTIONS]->(end) SET r += row.properties;
UNWIND [{start: {_id:0}, end: {_id:1}, properties:{group_id:"harbor", created_at:datetime('2026-02-02T08:00:00Z'), uuid:"00000047-aaaa-4bbb-8ccc-000000000047"}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:NEXT_EPISODE]->(end) SET r += row.properties;
UNWIND [{start: {_id:8}, end: {_id:5}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"Ben Okafor maintains Harbor.", group_id:"harbor", name:"MAINTAINS", target_uuid:"0000000d-aaaa-4bbb-8ccc-00000000000d", created_at:datetime('2026-02-04T08:00:00Z'), source_uuid:"00000010-aaaa-4bbb-8ccc-000000000010", expired_at:datetime('2026-03-01T08:00:00Z'), uuid:"00000023-aaaa-4bbb-8ccc-000000000023", episodes:[]}}, {start: {_id:9}, end: {_id:5}, properties:{fact_embedding:[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], fact:"B. Okafor reviews Harbor.", group_id:"harbor", name:"REVIEWS", target_uuid:"0000000d-aaaa-4bbb-8ccc-00000000000d", created_at:datetime('2026-02-03T08:00:03Z'), source_uuid:"00000011-aaaa-4bbb-8ccc-000000000011", uuid:"00000025-aaaa-4bbb-8ccc-000000000025", episodes:["00000003-aaaa-4bbb-8ccc-000000000003", "00000002-aaaa-4bbb-8ccc-000000000002"], valid_at:datetime('2026-02-03T08:00:00Z')}}] AS row
MATCH (start:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.start._id})
MATCH (end:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`: row.end._id})
CREATE (start)-[r:RELATES_TO]->(end) SET r += row.properties;
:commit
:begin
MATCH (n:`UNIQUE IMPORT LABEL`)  WITH n LIMIT 20000 REMOVE n:`UNIQUE IMPORT LABEL` REMOVE n.`UNIQUE IMPORT ID`;
:commit
:begin
DROP CONSTRAINT UNIQUE_IMPORT_NAME;
:commit
