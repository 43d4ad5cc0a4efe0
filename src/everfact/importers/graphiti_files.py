"""Graphiti's nodes and edges out of files: APOC's JSON lines, answers of its MCP server, dumps of a driver, Cypher."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from everfact.importers.cypher import is_cypher, script
from everfact.importers.files import items
from everfact.importers.graphiti import Edge, Node, drafts
from everfact.importers.records import Item, Record, text, texts, tried
from everfact.models import JSON, Draft, Skipped

_EDGES = ("edges", "facts", "relations", "relationships")
_LABEL_OF = {"episodes": "Episodic", "sagas": "Saga", "communities": "Community"}
_ENDPOINTS = ("source_node_uuid", "source_uuid", "target_node_uuid", "target_uuid")


def read(path: Path, group: str) -> Iterator[Draft | Skipped]:
    """The drafts of a file."""
    return drafts(script(path) if is_cypher(path) else tried(items(path), _record), group=group)


def is_graphiti(item: Item) -> bool:
    """Whether it looks like something that Graphiti keeps."""
    if not isinstance(item.value, dict):
        return False
    given = item.value
    if given.get("type") in ("node", "relationship") or {"labels", "properties"} <= given.keys():
        return True
    return "uuid" in given and not {"group_id", "fact", "source_node_uuid", "labels"}.isdisjoint(given)


def _record(item: Item, given: Record) -> Node | Edge:
    inner = given.get("properties")
    properties: Record = inner if isinstance(inner, dict) else given
    kind = text(given, "type")
    is_edge = kind not in ("", "node") or item.key in _EDGES or not given.keys().isdisjoint(_ENDPOINTS)
    if is_edge and kind != "node":
        name = text(given, "label") if kind in ("", "relationship") else kind
        ends = (_end(given.get(side)) for side in ("start", "end"))
        return Edge(place=item.place, type=name, start=next(ends), end=next(ends), properties=properties)
    labels = texts(given, "labels")
    own = () if labels or item.key not in _LABEL_OF else (_LABEL_OF[item.key],)
    return Node(place=item.place, key=text(given, "id"), labels=(*labels, *own), properties=properties)


def _end(value: JSON) -> str:
    """The key of the node at an end, which APOC tells with some of the node."""
    return text(value, "id") if isinstance(value, dict) else text({"end": value}, "end")
