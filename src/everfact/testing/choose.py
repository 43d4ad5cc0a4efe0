"""What a `Filter` means, spelled out on plain models, and which words match: the reference store's reading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from datetime import datetime
from typing import TypeAlias

from everfact.models import Assertion, Entity, Episode, Fact, FactKind, Filter, fold_name

Place: TypeAlias = "tuple[str, str, int]"
"""Group, thread and position of an episode."""


def passes_episode(episode: Episode, where: Filter, beside: Container[Place]) -> bool:
    """Whether the filter lets this episode through; `beside` are the places that `where.beside` comes to."""
    return (
        _is_asked_for(episode, where)
        and (where.sources is None or episode.source in where.sources)
        and (where.threads is None or (episode.thread != "" and episode.thread in where.threads))
        and (where.beside is None or (episode.group_id, episode.thread, episode.position) in beside)
        and (where.told_from is None or episode.reference_time >= where.told_from)
        and (where.told_until is None or episode.reference_time < where.told_until)
        and (where.statuses is None or episode.status in where.statuses)
    )


def passes_entity(entity: Entity, where: Filter) -> bool:
    """Whether the filter lets this entity through."""
    names = {fold_name(name) for name in (entity.name, *entity.aliases)}
    return (
        _is_asked_for(entity, where)
        and (where.names is None or not names.isdisjoint(map(fold_name, where.names)))
        and (where.entity_types is None or not set(entity.types).isdisjoint(where.entity_types))
    )


def passes_fact(fact: Fact, where: Filter, typed: Container[str | None]) -> bool:
    """Whether the filter lets this fact through; `typed` are the entities that `where.entity_types` comes to."""
    return (
        _is_asked_for(fact, where)
        and _is_about(fact, where)
        and (where.relations is None or fact.relation in where.relations)
        and (where.entity_types is None or fact.subject_uuid in typed or fact.object_uuid in typed)
        and (where.disputed is None or fact.disputed is where.disputed)
        and (where.episodes is None or not set(fact.episodes).isdisjoint(where.episodes))
        and (where.valid_at is None or holds_between(fact, where.valid_at, where.valid_until or where.valid_at))
        and _is_between(fact.valid_at, where.valid_at_after, where.valid_at_before)
        and _is_between(fact.invalid_at, where.invalid_at_after, where.invalid_at_before)
    )


def passes_assertion(assertion: Assertion, where: Filter) -> bool:
    """Whether the filter lets this assertion through."""
    return (
        _is_asked_for(assertion, where)
        and _is_about(assertion, where)
        and (where.episodes is None or assertion.episode_uuid in where.episodes)
        and (where.known_at is None or assertion.created_at <= where.known_at)
        and (where.withdrawn is None or assertion.withdrawn is where.withdrawn)
    )


def holds_between(fact: Fact, first: datetime, last: datetime) -> bool:
    """Whether a search for what is true between these moments shows the fact."""
    has_begun = fact.valid_at is None or fact.valid_at <= last
    has_ended = fact.invalid_at is not None and fact.invalid_at <= first
    match fact.kind:
        case FactKind.STATE:
            return has_begun and not has_ended
        case FactKind.PLAN:
            return not has_ended
        case FactKind.EVENT:
            return True


def shared_words(query: str, text: str) -> int:
    """How many of the query's words the text has; where a script has no spaces, pairs of characters are the words."""
    return len(_words(query) & _words(text))


def _is_asked_for(item: Episode | Entity | Fact | Assertion, where: Filter) -> bool:
    in_group = where.group_ids is None or item.group_id in where.group_ids
    return in_group and (where.uuids is None or item.uuid in where.uuids)


def _is_about(item: Fact | Assertion, where: Filter) -> bool:
    attribute = item.attribute if isinstance(item, Fact) else item.statement.attribute
    return (
        (where.entities is None or not {item.subject_uuid, item.object_uuid}.isdisjoint(where.entities))
        and (where.subjects is None or item.subject_uuid in where.subjects)
        and (where.attributes is None or attribute in where.attributes)
    )


def _is_between(moment: datetime | None, after: datetime | None, before: datetime | None) -> bool:
    if after is None and before is None:
        return True
    return moment is not None and (after is None or moment > after) and (before is None or moment < before)


def _words(text: str) -> set[str]:
    folded = unicodedata.normalize("NFKD", text).casefold()
    bare = unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", folded))
    runs = re.findall("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", bare)
    pairs = {run[i : i + 2] for run in runs for i in range(len(run) - 1)}
    kept = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in bare)
    return pairs | set(kept.split())
