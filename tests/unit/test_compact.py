"""What a memory could do without."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from everfact.compact import plan
from everfact.models import Entity, Fact

START = datetime(2026, 1, 1, tzinfo=UTC)


def entity(uuid: str, name: str, *types: str) -> Entity:
    at = START + timedelta(days=int(uuid))
    return Entity(uuid=uuid, group_id="g", name=name, created_at=at, types=types)


def fact(subject: str, thing: str | None = None) -> Fact:
    return Fact(
        uuid="f", group_id="g", subject_uuid=subject, object_uuid=thing, relation="R", sentence="", created_at=START
    )


def test_entities_of_one_name_are_one_unless_their_types_differ() -> None:
    ana, again = entity("1", "Ana", "Person"), entity("2", "ana")
    boat = entity("3", "Ana", "Object")
    found = plan([boat, again, ana], [fact("1", "2"), fact("3")])
    assert found.duplicates == ((ana, again),)
    assert found.orphans == ()


def test_entities_that_no_fact_speaks_of_can_go_but_not_communities() -> None:
    lonely, circle = entity("1", "Ana"), entity("2", "Ana & Co", "Community")
    assert plan([lonely, circle], []).orphans == (lonely,)
    assert plan([lonely], [fact("1")]).orphans == ()
