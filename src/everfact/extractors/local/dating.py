"""When a draft holds: its dates from the sentence, or from the moment the text was told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from everfact.dates import DateRole, When, find_dates
from everfact.extractors.local.draft import Manner
from everfact.models import FactKind, Granularity, Phase


@dataclass(frozen=True, slots=True)
class Dates:
    """The times of one statement, and its kind and phase in the light of them."""

    kind: FactKind
    phase: Phase
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    granularity: Granularity | None = None


def dates_in(sentence: str, reference: datetime) -> list[When]:
    """The dates of a sentence, told at `reference`."""
    return find_dates(sentence, reference)


def date_of(manner: Manner, whens: list[When], reference: datetime, *, is_single: bool = False) -> Dates:
    """The times of what was said in this manner; `whens` are the dates of its clause, its own value apart.

    `is_single`: there is one such thing at a time, so that "in 2019 she lived there" is a state of that year.
    """
    until = next((when for when in whens if when.role is DateRole.UNTIL), None)
    spans = [when for when in whens if when.role is not DateRole.UNTIL]
    when = next((when for when in spans if when.role in (DateRole.DURING, DateRole.SINCE)), spans[0] if spans else None)
    first = when or until
    grain = first.granularity if first is not None else None
    end = until.end if until is not None else when.end if when is not None and when.role is DateRole.DURING else None
    start = when.start if when is not None else None
    if manner.phase is Phase.ENDS:
        return Dates(manner.kind, Phase.ENDS, None, _utc(end or start or reference), grain)
    is_glimpsed = is_single and manner.is_lasting and when is not None and when.end <= reference
    if is_glimpsed and end is None and when is not None and when.role is DateRole.AT:
        return Dates(FactKind.STATE, Phase.HOLDS, _utc(when.start), _utc(when.end), grain)
    is_ended = manner.is_past and end is not None
    if manner.kind is not FactKind.STATE and not is_ended:
        return Dates(manner.kind, manner.phase, _utc(start or reference), _utc(end), grain)
    if is_ended and start is None:
        # It is over since then; when it began nobody said.
        return Dates(FactKind.STATE, Phase.ENDS, None, _utc(end), grain)
    if when is not None and (manner.phase is Phase.BEGINS or when.role is not DateRole.AT or when.end <= reference):
        return Dates(FactKind.STATE, manner.phase, _utc(start), _utc(end), grain)
    return Dates(FactKind.STATE, manner.phase, _utc(reference), _utc(end), grain)


def _utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment is not None else None
