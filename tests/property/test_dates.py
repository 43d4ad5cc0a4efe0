"""Laws of reading dates: any text, any reference."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everfact.dates import find_dates
from everfact.dates.words import TRIGGERS

JOINERS = """
    the a in on by from to until since last next this past two few 3 5th 2019 1999 3/4/2024 2024-02-30 ago later , . ( )
    earlier before after of and between end early mid first second for now have been at 3pm 12:30 - 's 0 999 9999 0th
    31st through starting within every
"""
WORDS = st.sampled_from([*TRIGGERS, *JOINERS.split()])
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=14).map(" ".join))
TIMES = st.one_of(
    st.datetimes(timezones=st.just(UTC)),
    st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - given a zone here
)
WEEKDAYS = st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"])


@given(TEXTS, TIMES)
def test_any_text_at_any_time_gives_sound_dates(text: str, told: datetime) -> None:
    ends = 0
    for when in find_dates(text, told):
        first, last = when.span
        assert ends <= first < last <= len(text)
        assert when.start < when.end
        assert when.start.tzinfo is when.end.tzinfo is UTC
        ends = last


@given(TEXTS, TIMES)
def test_same_text_and_time_give_the_same_dates(text: str, told: datetime) -> None:
    assert find_dates(text, told) == find_dates(text, told)


@given(
    WEEKDAYS,
    st.sampled_from(["last {}", "next {}", "we met on {}", "we will meet on {}", "by {}", "since {}", "this past {}"]),
    st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - given a zone here
    st.integers(-500, 500),
)
def test_weekday_moves_along_with_the_reference(name: str, words: str, told: datetime, weeks: int) -> None:
    (here,), (there,) = (find_dates(words.format(name), told + step) for step in (timedelta(), timedelta(weeks=weeks)))
    assert there.start - here.start == timedelta(weeks=weeks)
    assert there.start.strftime("%A") == name
    assert abs(here.start - told) <= timedelta(days=8)


@given(st.dates(date(1950, 1, 1), date(2099, 12, 31)), TIMES)
def test_iso_date_means_itself_whenever_it_is_told(day: date, told: datetime) -> None:
    (when,) = find_dates(f"Done {day:%Y-%m-%d}.", told)
    assert (when.start.date(), when.end - when.start) == (day, timedelta(days=1))


def test_machine_clock_and_zone_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Yesterday, last Friday, in June, on the 5th, two hours ago, 2024-03-04T15:00+02:00 and on Christmas"
    told = datetime(2023, 6, 14, 12, tzinfo=UTC)
    here = find_dates(text, told)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    try:
        assert find_dates(text, told) == here
    finally:
        monkeypatch.undo()
        time.tzset()
