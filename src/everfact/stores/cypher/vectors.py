"""Keeping vectors with the wordings they belong to, and finding wordings that lack one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from everfact.models import Embedding, Entity, Episode, Fact, Thing, Unembedded
from everfact.stores.cypher.engine import LABELS, Engine
from everfact.stores.cypher.match import check_dimension, direction, vector_name
from everfact.stores.cypher.rows import OPEN, from_data, text_digest

_KINDS: dict[Thing, type[Episode | Entity | Fact]] = {
    Thing.EPISODE: Episode,
    Thing.ENTITY: Entity,
    Thing.FACT: Fact,
}
_MODEL = "MERGE (m:EverfactModel {name: $name}) ON CREATE SET m.dimension = $dimension RETURN m.dimension"
_OTHERS = "MATCH (m:EverfactModel) WHERE m.name <> $name RETURN m.name"


async def put_vectors(engine: Engine, model: str, embeddings: Sequence[Embedding]) -> int:
    """See `Store.put_vectors`."""
    name, kept = vector_name(model), 0
    rows: dict[Thing, list[dict[str, object]]] = defaultdict(list)
    for embedding in embeddings:
        vector = direction(embedding.vector)
        ((dimension,),) = await engine.write(engine.registry, _MODEL, {"name": model, "dimension": len(vector) - 2})
        check_dimension(model, dimension, len(vector) - 2)
        rows[embedding.thing].append(
            {"uuid": embedding.uuid, "digest": text_digest(embedding.text), "vector": vector, "model": model}
        )
    for thing, of in rows.items():
        put = (
            f"UNWIND $rows AS r MATCH (e:{LABELS[thing]} {{uuid: r.uuid}})-[:EverfactSays]->(t)"
            f" WHERE e.known_to = {OPEN} AND t.digest = r.digest {engine.put_vector(name)}"
            " SET t.embedded = r.model RETURN count(t)"
        )
        for graph, uuids in (await engine.homes([str(row["uuid"]) for row in of])).items():
            here = [row for row in of if row["uuid"] in set(uuids)]
            ((count,),) = await engine.write(graph, put, {"rows": here}) or ((0,),)
            kept += count
    return kept


async def unembedded(engine: Engine, model: str, limit: int) -> list[Unembedded]:
    """See `Store.unembedded`. What has just a vector of another model is looked through one by one."""
    others = [name for (name,) in await engine.read(engine.registry, _OTHERS, {"name": model})]
    asked = {"before": ["", *others], "limit": limit}
    found: list[Unembedded] = []
    for part in await engine.parts(None):
        for thing, label in LABELS.items():
            query = (
                f"MATCH (t:{label}Text) WHERE t.embedded IN $before AND t.{vector_name(model)} IS NULL"
                f" MATCH (t)<-[:EverfactSays]-(e:{label}) WHERE e.known_to = {OPEN} AND e.group_id IN $groups"
                " RETURN e.data LIMIT $limit"
            )
            if len(found) < limit:
                rows = await engine.read(part.graph, query, {**asked, "groups": list(part.groups)})
                items = [from_data(_KINDS[thing], data) for (data,) in rows]
                found += [Unembedded(thing=thing, uuid=item.uuid, text=item.text) for item in items]
    return found[:limit]
