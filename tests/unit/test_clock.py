from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

from everfact import clock


def test_now_is_aware_and_utc() -> None:
    assert clock.now().tzinfo is UTC
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_ids_are_unique_uuids_of_version_7() -> None:
    ids = {clock.new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {(UUID(i).version, UUID(i).variant) for i in ids} == {(7, "specified in RFC 4122")}


def test_later_ids_sort_after_earlier_ones() -> None:
    earlier = clock.new_id()
    time.sleep(0.002)
    assert clock.new_id() > earlier
