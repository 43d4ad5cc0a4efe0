-- Times are microseconds since 1970, UTC. Ids carry the number of their group in the upper bits (group << 32 | n),
-- so one group's rows lie together in every table and a range of ids is a group, in full text and vectors too.
-- Episodes, entities and facts are kept as versions: a row was believed from known_from until known_to (NULL: still).
-- Versions of one item with the same wording share a text_id, and with it the index entry and the vectors.

CREATE TABLE groups (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id TEXT NOT NULL UNIQUE,
    next_id INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL, -- the last record time given out: record time never goes back in a group
    head TEXT                     -- uuid of the last change
) STRICT;

CREATE TABLE threads (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    group_no INTEGER NOT NULL REFERENCES groups,
    name TEXT NOT NULL,
    length INTEGER NOT NULL,
    UNIQUE (group_no, name)
) STRICT;

CREATE TABLE changes (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    group_no INTEGER NOT NULL REFERENCES groups,
    kind TEXT NOT NULL,
    parent TEXT,
    cause TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX changes_by_time ON changes (group_no, created_at, uuid);
CREATE INDEX changes_by_cause ON changes (cause) WHERE cause <> '';

CREATE TABLE episodes (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    group_no INTEGER NOT NULL REFERENCES groups,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    reference_time INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    source_description TEXT NOT NULL,
    source_key TEXT NOT NULL,
    thread_no INTEGER REFERENCES threads,
    position INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    role TEXT NOT NULL,
    statements TEXT NOT NULL,
    attributes TEXT NOT NULL,
    text_id INTEGER NOT NULL,
    known_from INTEGER NOT NULL,
    known_to INTEGER,
    made_by INTEGER REFERENCES changes, -- NULL: told, not made by a change
    closed_by INTEGER REFERENCES changes
) STRICT;
CREATE INDEX episodes_by_uuid ON episodes (uuid);
CREATE INDEX episodes_by_time ON episodes (group_no, reference_time, uuid);
CREATE INDEX episodes_by_text ON episodes (text_id);
CREATE INDEX episodes_by_thread ON episodes (thread_no, position) WHERE thread_no IS NOT NULL;
CREATE INDEX episodes_by_speaker ON episodes (group_no, speaker COLLATE NOCASE) WHERE speaker <> '';
CREATE UNIQUE INDEX episodes_by_key ON episodes (group_no, source_key) WHERE source_key <> '' AND known_to IS NULL;
CREATE INDEX episodes_made ON episodes (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX episodes_told ON episodes (group_no, known_from) WHERE made_by IS NULL;
CREATE INDEX episodes_closed ON episodes (closed_by) WHERE closed_by IS NOT NULL;

-- Episodes that are not digested yet; one that is done has no row here.
CREATE TABLE queue (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes,
    parked INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    retry_at INTEGER NOT NULL,
    error TEXT NOT NULL
) STRICT;
CREATE INDEX queue_pending ON queue (episode_id) WHERE parked = 0;

CREATE TABLE leases (
    group_no INTEGER PRIMARY KEY REFERENCES groups,
    episode_id INTEGER NOT NULL REFERENCES episodes,
    token TEXT NOT NULL,
    owner TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL
) STRICT;

CREATE TABLE entities (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    group_no INTEGER NOT NULL REFERENCES groups,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    types TEXT NOT NULL,
    aliases TEXT NOT NULL,
    summary TEXT NOT NULL,
    attributes TEXT NOT NULL,
    text_id INTEGER NOT NULL,
    known_from INTEGER NOT NULL,
    known_to INTEGER,
    made_by INTEGER NOT NULL REFERENCES changes,
    closed_by INTEGER REFERENCES changes
) STRICT;
CREATE INDEX entities_by_uuid ON entities (uuid);
CREATE INDEX entities_by_time ON entities (group_no, created_at, uuid);
CREATE INDEX entities_by_text ON entities (text_id);
CREATE INDEX entities_made ON entities (made_by);
CREATE INDEX entities_closed ON entities (closed_by) WHERE closed_by IS NOT NULL;

-- Folded names and aliases ('name') and types ('type') of entity versions, for exact lookups.
CREATE TABLE entity_terms (
    group_no INTEGER NOT NULL,
    kind TEXT NOT NULL,
    term TEXT NOT NULL,
    entity_id INTEGER NOT NULL REFERENCES entities,
    PRIMARY KEY (group_no, kind, term, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_terms_by_entity ON entity_terms (entity_id);

CREATE TABLE assertions (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    group_no INTEGER NOT NULL REFERENCES groups,
    episode_uuid TEXT,
    subject_uuid TEXT NOT NULL,
    object_uuid TEXT,
    attribute TEXT NOT NULL,
    statement TEXT NOT NULL,
    origin TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    withdrawn INTEGER NOT NULL,
    made_by INTEGER NOT NULL REFERENCES changes
) STRICT;
CREATE INDEX assertions_by_time ON assertions (group_no, created_at, uuid);
CREATE INDEX assertions_by_subject ON assertions (subject_uuid, attribute);
CREATE INDEX assertions_by_object ON assertions (object_uuid) WHERE object_uuid IS NOT NULL;
CREATE INDEX assertions_by_episode ON assertions (episode_uuid) WHERE episode_uuid IS NOT NULL;
CREATE INDEX assertions_made ON assertions (made_by);

-- When an assertion was withdrawn (1) or reinstated (0).
CREATE TABLE withdrawals (
    change_no INTEGER NOT NULL REFERENCES changes,
    assertion_id INTEGER NOT NULL REFERENCES assertions,
    withdrawn INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (change_no, assertion_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX withdrawals_by_assertion ON withdrawals (assertion_id, recorded_at);

CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    group_no INTEGER NOT NULL REFERENCES groups,
    subject_uuid TEXT NOT NULL,
    relation TEXT NOT NULL,
    sentence TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    attribute TEXT NOT NULL,
    object_uuid TEXT,
    value TEXT,
    kind TEXT NOT NULL,
    valid_at INTEGER,
    invalid_at INTEGER,
    expired_at INTEGER,
    disputed INTEGER NOT NULL,
    assertions TEXT NOT NULL,
    ended_by TEXT NOT NULL,
    episodes TEXT NOT NULL,
    attributes TEXT NOT NULL,
    text_id INTEGER NOT NULL,
    known_from INTEGER NOT NULL,
    known_to INTEGER,
    made_by INTEGER NOT NULL REFERENCES changes,
    closed_by INTEGER REFERENCES changes
) STRICT;
CREATE INDEX facts_by_uuid ON facts (uuid);
CREATE INDEX facts_by_time ON facts (group_no, created_at, uuid);
CREATE INDEX facts_by_relation ON facts (group_no, relation, created_at, uuid) WHERE known_to IS NULL;
CREATE INDEX facts_by_text ON facts (text_id);
CREATE INDEX facts_by_subject ON facts (subject_uuid, attribute);
CREATE INDEX facts_by_object ON facts (object_uuid) WHERE object_uuid IS NOT NULL;
CREATE INDEX facts_disputed ON facts (group_no) WHERE disputed = 1;
CREATE INDEX facts_made ON facts (made_by);
CREATE INDEX facts_closed ON facts (closed_by) WHERE closed_by IS NOT NULL;

-- Which episodes stand behind which fact version (facts.episodes keeps their order).
CREATE TABLE fact_episodes (
    episode_uuid TEXT NOT NULL,
    fact_id INTEGER NOT NULL REFERENCES facts,
    PRIMARY KEY (episode_uuid, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_episodes_by_fact ON fact_episodes (fact_id);

-- Full text, by text_id. The words go in prepared (text.py): one tokenizer serves every script.
CREATE VIRTUAL TABLE episode_text USING fts5 (
    name, content, speaker,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
CREATE VIRTUAL TABLE entity_text USING fts5 (
    names, summary,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
CREATE VIRTUAL TABLE entity_trigrams USING fts5 (
    names,
    content = '', contentless_delete = 1, tokenize = "trigram remove_diacritics 1"
);
CREATE VIRTUAL TABLE fact_text USING fts5 (
    sentence,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

CREATE TABLE models (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
) STRICT;

-- Vectors as whole numbers from -127 to 127; their length says nothing, only their direction does.
-- An id is never given twice: what is newer than something has a higher one.
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model_no INTEGER NOT NULL REFERENCES models,
    thing TEXT NOT NULL,
    text_id INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (model_no, thing, text_id)
) STRICT;

-- How many vectors there are of a kind in a group, and how many of them lie in segments.
CREATE TABLE vector_counts (
    model_no INTEGER NOT NULL REFERENCES models,
    thing TEXT NOT NULL,
    group_no INTEGER NOT NULL,
    total INTEGER NOT NULL,
    covered INTEGER NOT NULL,
    PRIMARY KEY (model_no, thing, group_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_counts_by_rest ON vector_counts (total - covered);

-- Files beside this one that hold an index over vectors, those with ids after `after` up to `through`.
CREATE TABLE segments (
    name TEXT PRIMARY KEY,
    model_no INTEGER NOT NULL REFERENCES models,
    thing TEXT NOT NULL,
    group_no INTEGER NOT NULL,
    after INTEGER NOT NULL,
    through INTEGER NOT NULL,
    count INTEGER NOT NULL,
    size INTEGER NOT NULL,
    checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX segments_by_set ON segments (model_no, thing, group_no, after);

-- Who builds a segment right now: one process at a time.
CREATE TABLE building (
    no INTEGER PRIMARY KEY CHECK (no = 1),
    token TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL
) STRICT;

-- Up to which id all that a group knows has its vector of a model.
CREATE TABLE embedded (
    model_no INTEGER NOT NULL REFERENCES models,
    group_no INTEGER NOT NULL,
    through INTEGER NOT NULL,
    PRIMARY KEY (model_no, group_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
