"""Where knowledge comes from: why a fact is believed, and what was read out of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from everfact.errors import NotFound
from everfact.models import Assertion, Entity, Episode, Evidence, Fact, Filter, Receipt
from everfact.ports import Store
from everfact.refold import EVERYTHING


async def explain(store: Store, fact: Fact) -> Receipt:
    """The very words behind a fact, the episodes, what it replaced, what replaced it."""
    here = Filter(group_ids=(fact.group_id,), withdrawn=None)
    cited = (*fact.assertions, *fact.ended_by)
    assertions = {a.uuid: a for a in await store.assertions(replace(here, uuids=cited), limit=EVERYTHING)}
    told_in = tuple({a.episode_uuid for a in assertions.values() if a.episode_uuid})
    episodes = {e.uuid: e for e in await store.episodes(replace(here, uuids=told_in), limit=EVERYTHING)}
    same = replace(here, subjects=(fact.subject_uuid,), attributes=(fact.attribute,))
    rivals = await store.facts(same, limit=EVERYTHING)

    def evidence(uuids: Sequence[str]) -> tuple[Evidence, ...]:
        return tuple(_evidence(assertions[uuid], episodes) for uuid in uuids if uuid in assertions)

    return Receipt(
        fact=fact,
        support=evidence(fact.assertions),
        ended_by=evidence(fact.ended_by),
        replaced=tuple(f for f in rivals if not set(f.ended_by).isdisjoint(fact.assertions)),
        changes=tuple(await store.changes(replace(here, uuids=(fact.uuid,)))),
    )


async def outcome(
    store: Store, episodes: Sequence[str], group_ids: tuple[str, ...] | None
) -> tuple[list[Entity], list[Fact]]:
    """The entities and the facts that were read out of these episodes, as they stand now.

    Raises:
        NotFound: there is no such episode.
    """
    where = Filter(group_ids=group_ids, uuids=tuple(episodes))
    missing = set(episodes) - {e.uuid for e in await store.episodes(where, limit=EVERYTHING)}
    if missing:
        raise NotFound(f"there is no episode {min(missing)}", hint="look at the latest episodes")
    facts = await store.facts(replace(where, uuids=None, episodes=tuple(episodes)), limit=EVERYTHING)
    log = await store.changes(where, limit=EVERYTHING)
    named = {entity.uuid for change in log if change.cause in episodes for entity in change.entities}
    named |= {uuid for fact in facts for uuid in (fact.subject_uuid, fact.object_uuid) if uuid}
    return await store.entities(replace(where, uuids=tuple(named)), limit=EVERYTHING), facts


def _evidence(assertion: Assertion, episodes: Mapping[str, Episode]) -> Evidence:
    episode = episodes.get(assertion.episode_uuid or "")
    span = assertion.statement.span
    words = episode.content[span[0] : span[1]] if episode and span else assertion.statement.sentence
    return Evidence(assertion=assertion, episode=episode, words=words)
