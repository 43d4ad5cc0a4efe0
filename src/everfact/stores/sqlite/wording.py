"""The entries under which items are found by their words: full text by `text_id`, and names and types of entities."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from everfact.models import fold_name
from everfact.stores.text import folded, index_text


def index_episode(connection: apsw.Connection, text_id: int, name: str, content: str, speaker: str) -> None:
    """Make the words of an episode searchable."""
    connection.execute(
        "INSERT INTO episode_text (rowid, name, content, speaker) VALUES (?, ?, ?, ?)",
        (text_id, index_text(name), index_text(content), index_text(speaker)),
    )


def index_entity(connection: apsw.Connection, text_id: int, names: Sequence[str], summary: str) -> None:
    """Make the names of an entity, and parts of them, searchable."""
    joined = "\n".join(names)
    connection.execute(
        "INSERT INTO entity_text (rowid, names, summary) VALUES (?, ?, ?)",
        (text_id, index_text(joined), index_text(summary)),
    )
    connection.execute("INSERT INTO entity_trigrams (rowid, names) VALUES (?, ?)", (text_id, folded(joined)))


def index_fact(connection: apsw.Connection, text_id: int, sentence: str) -> None:
    """Make the words of a fact searchable."""
    connection.execute("INSERT INTO fact_text (rowid, sentence) VALUES (?, ?)", (text_id, index_text(sentence)))


def write_terms(
    connection: apsw.Connection, group_no: int, entity_id: int, names: Sequence[str], types: Sequence[str]
) -> None:
    """Note what one version of an entity is called, and of what types it is, for exact lookups."""
    terms = {("name", fold_name(name)) for name in names} | {("type", type_) for type_ in types}
    connection.executemany(
        "INSERT INTO entity_terms (group_no, kind, term, entity_id) VALUES (?, ?, ?, ?)",
        [(group_no, kind, term, entity_id) for kind, term in sorted(terms)],
    )


def write_sources(connection: apsw.Connection, fact_id: int, episodes: Sequence[str]) -> None:
    """Note which episodes stand behind one version of a fact."""
    connection.executemany(
        "INSERT INTO fact_episodes (episode_uuid, fact_id) VALUES (?, ?)",
        [(uuid, fact_id) for uuid in dict.fromkeys(episodes)],
    )
