"""Dates of a model stand if the text bears them out; where our rules read the words, theirs stand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everfact.extractors.llm.answers import Told
from everfact.extractors.llm.dating import date_of
from everfact.models import Granularity, Phase

FRIDAY = datetime(2026, 5, 1, 9, tzinfo=UTC)


def dates(text: str, begins: str = "", ended: str = "", when: str = "", phase: Phase = Phase.HOLDS) -> tuple[str, str]:
    dated = date_of(Told(begins=begins, ended=ended, when=when), phase, text, FRIDAY)
    return tuple(f"{moment:%Y-%m-%d}" if moment else "" for moment in (dated.valid_at, dated.invalid_at))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        # The model is right: our reading of the same words stands, with its edges.
        ("She joined in March 2026.", {"begins": "2026-03", "when": "in March 2026"}, ("2026-03-01", "")),
        ("She joined yesterday.", {"begins": "2026-04-30", "when": "yesterday"}, ("2026-04-30", "")),
        ("From 2018 to 2021 she led it.", {"begins": "2018", "ended": "2021"}, ("2018-01-01", "2022-01-01")),
        ("She lived there until 2021.", {"ended": "2021", "when": "until 2021"}, ("", "2022-01-01")),
        ("She left in June 2024.", {"ended": "2024-06", "phase": Phase.ENDS}, ("", "2024-06-01")),
        # The model is wrong about words that our rules can read: theirs stand.
        ("She joined yesterday.", {"begins": "2026-11-17", "when": "yesterday"}, ("2026-04-30", "")),
        ("She joined last week.", {"begins": "today", "when": "last week"}, ("2026-04-24", "")),
        ("She joined yesterday.", {"begins": "yesterday"}, ("2026-04-30", "")),
        # Nothing in the text bears it out.
        ("She works there.", {"begins": "2026-11-18", "when": "works"}, ("", "")),
        ("She works there now.", {"begins": "2026-05-01", "when": "now"}, ("", "")),
        ("She works there.", {"begins": "today", "when": "today"}, ("", "")),
        ("She works there.", {"begins": "2019", "when": "since 2019"}, ("", "")),
        ("She works there.", {"begins": "soon", "ended": "2026-13-45"}, ("", "")),
        ("She works there.", {"begins": "0000", "ended": "9999-12-31T25:00"}, ("", "")),
        # Words of another language, which our rules cannot read.
        (
            "Elle y travaille depuis le 3 fevrier 2019.",
            {"begins": "2019-02-03", "when": "le 3 fevrier 2019"},
            ("2019-02-03", ""),
        ),
        ("彼女は去年の三月に入社した。", {"begins": "2025-03", "when": "去年の三月"}, ("2025-03-01", "")),
        ("彼女は昔入社した。", {"begins": "1990-03", "when": "昔"}, ("", "")),
        # Nonsense between the two.
        ("From 2018 to 2021 she led it, in 2016 not.", {"begins": "2018", "ended": "2016"}, ("2018-01-01", "")),
    ],
)
def test_date_is_borne_out_by_the_text(text: str, given: dict[str, str], expected: tuple[str, str]) -> None:
    assert dates(text, **given) == expected  # type: ignore[arg-type]


def test_how_exactly_it_is_given_goes_along() -> None:
    told = Told(begins="2026-03", when="in March")
    assert date_of(told, Phase.HOLDS, "She joined in March.", FRIDAY).granularity is Granularity.MONTH


def test_time_of_day_is_in_utc() -> None:
    told = Told(begins="2026-04-03T10:30:00+02:00", when="am 3. April 2026 um 10:30 Uhr früh")
    text = "Sie begann am 3. April 2026 um 10:30 Uhr früh."
    dated = date_of(told, Phase.HOLDS, text, FRIDAY)
    assert dated.valid_at is not None
    assert dated.valid_at.utcoffset() is not None
    assert f"{dated.valid_at:%Y-%m-%d}" == "2026-04-03"
