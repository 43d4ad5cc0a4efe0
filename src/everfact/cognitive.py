"""KuzuMemory's kinds of memory and ours: one table for the tools that speak its language and for moving in from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from everfact.models import JSON

RETENTION: dict[str, timedelta | None] = {
    "semantic": None,
    "procedural": None,
    "preference": None,
    "episodic": timedelta(days=30),
    "working": timedelta(days=1),
    "sensory": timedelta(hours=6),
}
"""How long KuzuMemory keeps each of its six kinds; None is for good. Here nothing runs out."""
KNOWLEDGE = ("rule", "pattern", "convention", "gotcha", "architecture", "note")
"""Its kinds of engineering knowledge, which go beside those six."""

# What `kuzu_remember` and older versions call a kind → one of the six.
_OLDER = {
    "identity": "semantic",
    "decision": "episodic",
    "pattern": "procedural",
    "solution": "procedural",
    "status": "working",
    "context": "episodic",
}
_TYPE_OF_KNOWLEDGE = {
    "rule": "Requirement",
    "pattern": "Pattern",
    "convention": "Procedure",
    "gotcha": "Insight",
    "architecture": "Decision",
}
_TYPE_OF_MEMORY = {
    "preference": "Preference",
    "procedural": "Procedure",
    "solution": "Procedure",
    "pattern": "Pattern",
    "decision": "Decision",
    "episodic": "Event",
    "context": "Event",
}
# The other way: what an episode is to KuzuMemory that was told of such entities and nothing else.
_TOLD_OF = {
    "Preference": ("preference", "note"),
    "Requirement": ("semantic", "rule"),
    "Pattern": ("procedural", "pattern"),
    "Procedure": ("procedural", "convention"),
    "Insight": ("semantic", "gotcha"),
    "Decision": ("episodic", "architecture"),
    "Event": ("episodic", "note"),
}


@dataclass(frozen=True, slots=True)
class Cognition:
    """What a memory is in KuzuMemory's words, and the one of our types of entity that it speaks of ("" is any)."""

    memory_type: str = "semantic"
    knowledge_type: str = "note"
    entity_type: str = ""

    @property
    def attributes(self) -> dict[str, JSON]:
        """As an episode keeps it."""
        kept = {"memory_type": self.memory_type, "knowledge_type": self.knowledge_type}
        return {**kept, "entity_type": self.entity_type} if self.entity_type else {**kept}


def cognition(memory_type: str, knowledge_type: str = "") -> Cognition:
    """What these words of KuzuMemory's mean, older ones included; it takes those it does not know as it does itself."""
    memory, knowledge = memory_type.strip().lower(), knowledge_type.strip().lower()
    kind = memory if memory in RETENTION else _OLDER.get(memory, "episodic")
    own = _TYPE_OF_KNOWLEDGE.get(knowledge) or _TYPE_OF_MEMORY.get(memory, "")
    return Cognition(kind, knowledge if knowledge in KNOWLEDGE else "note", own)


def cognition_of(attributes: Mapping[str, JSON], types: Iterable[str] = ()) -> Cognition:
    """What an episode is: as it was told, else as the types of the entities in it suggest, the first that says so."""
    memory, knowledge, own = (attributes.get(name) for name in ("memory_type", "knowledge_type", "entity_type"))
    if isinstance(memory, str):
        known = cognition(memory, knowledge if isinstance(knowledge, str) else "")
        return Cognition(known.memory_type, known.knowledge_type, own) if isinstance(own, str) else known
    for type_ in types:
        if type_ in _TOLD_OF:
            return Cognition(*_TOLD_OF[type_], type_)
    return Cognition()
