from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from everfact.stores.sqlite.rows import micros_or_none, moment_or_none, to_micros, to_moment

moments = st.datetimes(timezones=st.just(UTC))


@given(moments)
def test_moments_survive_to_the_microsecond(moment: datetime) -> None:
    assert to_moment(to_micros(moment)) == moment


@given(moments, moments)
def test_moments_keep_their_order(one: datetime, other: datetime) -> None:
    assert (one < other) == (to_micros(one) < to_micros(other))


def test_unknown_times_stay_unknown() -> None:
    assert micros_or_none(None) is None
    assert moment_or_none(None) is None
