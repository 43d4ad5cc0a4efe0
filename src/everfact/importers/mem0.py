"""mem0: memories as its `get_all`, its platform's export or its search answer give them. Each becomes an episode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from everfact.errors import UsageError
from everfact.importers.files import items
from everfact.importers.records import Item, Record, kept, legal_id, moment, text, tried
from everfact.models import Draft, Skipped, Source

_KEPT = ("user_id", "agent_id", "run_id", "app_id", "actor_id", "categories", "metadata", "expiration_date")


def read(path: Path, group: str) -> Iterator[Draft | Skipped]:
    """The drafts of a file."""
    return tried(items(path), lambda _, given: _draft(given, group))


def is_memory(item: Item) -> bool:
    """Whether it looks like a memory of mem0's."""
    return isinstance(item.value, dict) and isinstance(item.value.get("memory"), str)


def _draft(given: Record, group: str) -> Draft:
    content = text(given, "memory")
    if not content:
        raise UsageError("it has no memory")
    role, created = text(given, "role"), moment(given, "created_at")
    is_agents = role == "assistant" or not given.get("user_id")
    attributes = {name: kept(given[name]) for name in _KEPT if given.get(name) not in (None, "", [], {})}
    return Draft(
        content=content,
        group_id=group,
        uuid=legal_id("mem0", text(given, "id") or content),
        source=Source.MESSAGE,
        source_description="mem0",
        # As it is worded now it was told when it was last changed.
        reference_time=moment(given, "updated_at") or created,
        thread=text(given, "run_id"),
        speaker=(text(given, "agent_id") or role) if is_agents else text(given, "user_id"),
        role=role,
        attributes={**attributes, "created_at": created.isoformat()} if created else attributes,
    )
