"""`Draft` → `Episode`: what a caller hands over is checked once, here, and refused with a word on what to do."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from everfact.clock import new_id
from everfact.errors import UsageError
from everfact.marks import CAPTURED
from everfact.models import JSON, Added, Draft, Episode, Mention, Source, Statement, Value
from everfact.redact import find_secrets, redact

MOST_CHARACTERS = 1_000_000
_GROUP = re.compile(r"[A-Za-z0-9_-]{1,128}")
_UUID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
"""What Graphiti's clients call a uuid may be any short name."""
_NAME_LENGTH = 80


def accept(draft: Draft, *, now: datetime) -> Added:
    """The episode that a draft becomes, with its id and times, and what the caller should hear about it.

    Raises:
        UsageError: it is empty, too long, no JSON though it says so, or names a bad group, uuid or time.
    """
    check_group(draft.group_id)
    if draft.uuid and not _UUID.fullmatch(draft.uuid):
        raise UsageError(f"{draft.uuid[:40]!r} is no uuid", hint="leave it out for anything new")
    _check_content(draft)
    if draft.reference_time is not None and draft.reference_time.tzinfo is None:
        raise UsageError("the reference time has no time zone", hint="write it like 2026-03-01T09:00:00Z")
    for said in draft.statements:
        _check_statement(said)
    draft, warnings = _without_secrets(draft) if draft.is_captured else (draft, _warnings(draft))
    episode = Episode(
        uuid=draft.uuid or new_id(),
        group_id=draft.group_id,
        name=draft.name or _name(draft.content),
        content=draft.content,
        reference_time=(draft.reference_time or now).astimezone(UTC),
        created_at=now,
        source=draft.source,
        source_description=draft.source_description,
        source_key=_source_key(draft),
        thread=draft.thread,
        speaker=draft.speaker,
        role=draft.role,
        statements=draft.statements,
        attributes=draft.attributes,
    )
    return Added(episode=episode, warnings=warnings)


def check_group(group_id: str) -> None:
    """Refuse what is no name of a group.

    Raises:
        UsageError: it is empty, too long or holds other characters.
    """
    if not _GROUP.fullmatch(group_id):
        raise UsageError(
            f"{group_id[:40]!r} is no name of a group", hint="use letters, digits, _ and -, at most 128 of them"
        )


def _check_content(draft: Draft) -> None:
    if not draft.content.strip() and not draft.statements:
        raise UsageError("there is nothing to remember: the text is empty", hint="send some text")
    if len(draft.content) > MOST_CHARACTERS:
        raise UsageError(
            f"the text has {len(draft.content):,} characters, at most {MOST_CHARACTERS:,} can be told at once",
            hint="send it in parts",
        )
    if draft.source is Source.JSON:
        try:
            json.loads(draft.content)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"this is no JSON: {error}", hint="mend it, or send it as text") from error


def _check_statement(said: Statement) -> None:
    if said == Statement(subject=said.subject, relation="", object=None, sentence="") and said.subject.name.strip():
        return  # of whom nothing is said: it makes a name known
    is_named = said.subject.name.strip() and (not isinstance(said.object, Mention) or said.object.name.strip())
    if not is_named or not said.relation.strip() or not said.sentence.strip():
        raise UsageError(
            "a fact lacks its subject, relation, object or sentence",
            hint="fill in all four, such as Ana, works at, Acme",
        )
    if said.original is not None:
        raise UsageError("only what is taken over has an original", hint="leave it out; the fact gets an id of its own")
    for moment in (said.valid_at, said.invalid_at):
        if moment is not None and moment.tzinfo is None:
            raise UsageError("a time of a fact has no time zone", hint="write it like 2026-03-01T09:00:00Z")


def _source_key(draft: Draft) -> str:
    """Told again with the same explicit time it is the same telling; a second "yes" in a conversation is not."""
    if draft.reference_time is None or draft.uuid:
        return ""
    parts = (draft.name, draft.content, draft.thread, draft.reference_time.astimezone(UTC).isoformat())
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _without_secrets(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    kinds: dict[str, None] = {}

    def clean(text: str) -> str:
        without, found = redact(text)
        kinds.update(dict.fromkeys(found))
        return without

    draft = replace(
        draft,
        content=clean(draft.content),
        name=clean(draft.name),
        source_description=clean(draft.source_description),
        speaker=clean(draft.speaker),
        role=clean(draft.role),
        thread=clean(draft.thread),
        attributes={clean(key): _everywhere(value, clean) for key, value in draft.attributes.items()}
        | {CAPTURED: True},
        statements=tuple(_clean_statement(said, clean) for said in draft.statements),
    )
    return draft, tuple(f"a secret was taken out: {kind}" for kind in kinds)


def _everywhere(value: JSON, clean: Callable[[str], str]) -> JSON:
    """Every text in a value, cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_everywhere(item, clean) for item in value]
    if isinstance(value, dict):
        return {clean(key): _everywhere(item, clean) for key, item in value.items()}
    return value


def _clean_statement(said: Statement, clean: Callable[[str], str]) -> Statement:
    thing = said.object
    if isinstance(thing, Mention):
        thing = replace(thing, name=clean(thing.name))
    elif isinstance(thing, Value):
        thing = replace(thing, text=clean(thing.text))
    subject = replace(said.subject, name=clean(said.subject.name))
    return replace(said, subject=subject, object=thing, sentence=clean(said.sentence))


def _warnings(draft: Draft) -> tuple[str, ...]:
    texts = [draft.content, draft.name, *(said.sentence for said in draft.statements)]
    kinds = dict.fromkeys(secret.kind for text in texts for secret in find_secrets(text))
    return tuple(f"the text holds what looks like a secret ({kind}); it was stored as it is" for kind in kinds)


def _name(content: str) -> str:
    line = next((line.strip() for line in content.splitlines() if line.strip()), "")
    return line if len(line) <= _NAME_LENGTH else line[: _NAME_LENGTH - 1].rstrip() + "…"
