"""A memory as Markdown, for reading: of each group what is known of whom, and what was told, day by day.

The same memory gives the same text; nothing in it depends on the day it is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from everfact.cli.output.file import written
from everfact.cli.output.screen import progress, when
from everfact.models import Cursor, Entity, Episode, Fact, FactKind, Filter
from everfact.ports import Store

_PAGE = 500
_SIGNS = re.compile(r"([\\`*_\[\]<>#|])")
_WORDS = {FactKind.EVENT: "on", FactKind.PLAN: "planned for"}


async def write_pages(store: Store, groups: tuple[str, ...] | None, file: str) -> int:
    """Write the file, all or nothing; answer how many entities and episodes it tells of.

    Raises:
        UsageError: it cannot be written.
    """
    stats = await store.stats(groups)
    total = stats.entities + stats.episodes
    with written(file) as out, progress("exporting", total) as bar:
        for number, group in enumerate(groups or await _groups(store)):
            out.write("\n" * (number > 0) + f"# {_plain(group)}\n")
            async for part in _of_group(store, Filter(group_ids=(group,))):
                out.write(part)
                bar.step()
    return total


async def _groups(store: Store) -> list[str]:
    everywhere = Filter(group_ids=None)
    known = {entity.group_id for entity in await _entities(store, everywhere)}
    return sorted(known | {episode.group_id async for episode in _episodes(store, everywhere)})


async def _of_group(store: Store, here: Filter) -> AsyncIterator[str]:
    entities = await _entities(store, here)
    names = {entity.uuid: entity.name for entity in entities}
    silent = []
    yield "\n## Known\n" if entities else ""
    for start in range(0, len(entities), _PAGE):
        some = entities[start : start + _PAGE]
        facts = await _facts(store, replace(here, subjects=tuple(entity.uuid for entity in some)))
        for entity in some:
            if facts[entity.uuid] or entity.summary:
                yield "\n".join(_portrait(entity, facts[entity.uuid], names)) + "\n"
            else:
                silent.append(_plain(entity.name))
    if silent:
        yield f"\nSpoken of besides: {', '.join(silent)}\n"
    yield "\n## Told\n"
    async for day, told in _days(store, here):
        yield f"\n### {day}\n"
        for episode in told:
            yield "\n".join(_quote(episode)) + "\n"


async def _entities(store: Store, here: Filter) -> list[Entity]:
    """By name, as in a register."""
    found: list[Entity] = []
    while page := await store.entities(here, limit=_PAGE, before=_last(found)):
        found += page
    return sorted(found, key=lambda entity: (entity.name.casefold(), entity.uuid))


async def _facts(store: Store, where: Filter) -> dict[str, list[Fact]]:
    """By subject, in the order they became true."""
    found: list[Fact] = []
    while page := await store.facts(where, limit=_PAGE, before=_last(found)):
        found += page
    by_subject: dict[str, list[Fact]] = defaultdict(list)
    for fact in sorted(found, key=lambda fact: (fact.valid_at or fact.created_at, fact.sentence, fact.uuid)):
        by_subject[fact.subject_uuid].append(fact)
    return by_subject


def _last(found: Sequence[Entity | Fact]) -> Cursor | None:
    return (found[-1].created_at, found[-1].uuid) if found else None


async def _episodes(store: Store, where: Filter) -> AsyncIterator[Episode]:
    before: Cursor | None = None
    while page := await store.episodes(where, limit=_PAGE, before=before):
        for episode in page:
            yield episode
        before = page[-1].reference_time, page[-1].uuid


async def _days(store: Store, here: Filter) -> AsyncIterator[tuple[date, list[Episode]]]:
    """The latest day first; within a day from morning to evening."""
    told: list[Episode] = []
    async for episode in _episodes(store, here):
        if told and told[-1].reference_time.date() != episode.reference_time.date():
            yield told[-1].reference_time.date(), told[::-1]
            told = []
        told.append(episode)
    if told:
        yield told[-1].reference_time.date(), told[::-1]


def _portrait(entity: Entity, facts: Sequence[Fact], names: Mapping[str, str]) -> Iterator[str]:
    yield f"\n### {_plain(entity.name)}"
    about = [f"*{_plain(', '.join(entity.types))}*"] if entity.types else []
    about += [f"also called {_plain(', '.join(entity.aliases))}"] if entity.aliases else []
    about += [_plain(entity.summary)] if entity.summary else []
    if about:
        yield "\n" + "; ".join(about)
    past = [fact for fact in facts if fact.invalid_at is not None and fact.kind is not FactKind.EVENT]
    for title, some in (("", [fact for fact in facts if fact not in past]), ("Before:\n", past)):
        if some:
            yield f"\n{title}" if title else ""
            yield from (f"- {_claim(fact, names)}" for fact in some)


def _claim(fact: Fact, names: Mapping[str, str]) -> str:
    thing = fact.value.text if fact.value else names.get(fact.object_uuid or "", "")
    said = f"{fact.relation.replace('_', ' ').lower()} {thing}" if thing else fact.sentence
    start = when(fact.valid_at)
    if fact.kind in _WORDS:
        span = f"{_WORDS[fact.kind]} {start}" if start else ""
    elif fact.invalid_at is not None:
        span = f"{start or '?'} to {when(fact.invalid_at)}"
    else:
        span = f"since {start}" if start else ""
    marks = [span] if span else []
    marks += ["disputed"] if fact.disputed else []
    return _plain(said) + (f" ({', '.join(marks)})" if marks else "")


def _quote(episode: Episode) -> Iterator[str]:
    teller = episode.speaker or episode.source_description
    clock = f"{episode.reference_time:%H:%M}"
    head = [f"**{_plain(teller)}**"] if teller else []
    head += [clock] if clock != "00:00" else []
    head += [f"in {_plain(episode.thread)}"] if episode.thread else []
    yield f"\n{' '.join(head)}\n" if head else ""
    yield from (f"> {_plain(line)}".rstrip() for line in episode.content.splitlines() or [""])


def _plain(text: str) -> str:
    """Words that stay words in Markdown."""
    return _SIGNS.sub(r"\\\1", text)
