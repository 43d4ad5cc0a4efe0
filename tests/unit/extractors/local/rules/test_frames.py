"""What verbs say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

FRAMES = [
    ("I work at Google.", ["Sam | WORKS_AT | Google"]),
    ("I work as a consultant.", ["Sam | ROLE | consultant"]),
    ("Ana lives in Rome.", ["Ana | LIVES_IN | Rome"]),
    ("The database lives in eu-west-1.", ["database | LOCATED_IN | eu-west-1"]),
    ("She works at Google.", []),
    ("Ana is employed at Aldine Press.", ["Ana | WORKS_AT | Aldine Press"]),
    ("The team reports to Priya.", ["team | REPORTS_TO | Priya"]),
    ("The gateway uses Redis.", ["gateway | USES | Redis"]),
    ("The gateway uses Redis instead of Memcached.", ["gateway | USES | Memcached | ends", "gateway | USES | Redis"]),
    ("The jobs run on a plain Postgres server.", ["jobs | USES | plain Postgres server"]),
    ("The gateway runs Python 3.12.", ["gateway | USES | Python", "gateway | VERSION | Python 3.12"]),
    ("The router runs firmware 7.2.", ["router | VERSION | firmware 7.2"]),
    ("The gateway listens on port 8081.", ["gateway | PORT | port 8081"]),
    ("Ana runs the payments team.", ["payments team | OWNED_BY | Ana"]),
    ("The dashboards own the metrics.", []),
    ("The platform team owns the gateway.", ["gateway | OWNED_BY | platform team"]),
    ("The boat belongs to Ana.", ["boat | OWNED_BY | Ana"]),
    ("The search is built with Lucene.", ["search | USES | Lucene"]),
    ("The archive is stored on Ceph.", ["archive | STORED_IN | Ceph"]),
    ("The site is hosted in Dublin.", ["site | HOSTED_ON | Dublin"]),
    ("The studio is based in Leeds.", ["studio | BASED_IN | Leeds"]),
    ("The ticket is assigned to Zanele.", ["ticket | ASSIGNED_TO | Zanele"]),
    ("Ana is engaged to Bob.", ["Ana | ENGAGED_TO | Bob"]),
    ("The plan costs $15 per seat.", ["plan | COSTS | $15 per seat"]),
    ("The rewrite took five months.", ["rewrite | DURATION | five months | event"]),
    (
        "The crash is caused by a duplicate key, not by a null id.",
        ["crash | CAUSED_BY | null id | ends", "crash | CAUSED_BY | duplicate key"],
    ),
    ("The bug was fixed in version 2.3.1.", ["bug | FIXED_BY | version 2.3.1 | event"]),
    ("Ana was born in Porto.", ["Ana | BORN_IN | Porto | event"]),
    ("Ana was born on 3 May 1990.", ["Ana | BORN_ON | 3 May 1990 | event"]),
    ("The tool is called Larkspur.", ["tool | NAME | Larkspur"]),
    ("The workshop takes place in room 241.", ["workshop | ROOM | room 241"]),
    ("The workshop takes place on 3 May.", ["workshop | SCHEDULED_FOR | 3 May"]),
    ("Sprint 14 ends on 3 May.", ["sprint 14 | ENDS_ON | 3 May"]),
    ("I stopped using Docker.", ["Sam | USES | Docker | ends"]),
    ("I used to live in Oslo.", ["Sam | LIVES_IN | Oslo | ends"]),
    ("I no longer live in Oslo.", ["Sam | LIVES_IN | Oslo | ends"]),
    ("I don't live in Oslo anymore.", ["Sam | LIVES_IN | Oslo | ends"]),
    ("I don't live in Oslo.", []),
    ("I started learning Spanish.", ["Sam | STUDIES | Spanish | begins"]),
    ("I want to live in Oslo.", []),
    ("I will live in Oslo.", ["Sam | LIVES_IN | Oslo | plan"]),
    ("I can live in Oslo.", []),
    ("Ana and Bob work at Acme.", ["Ana | WORKS_AT | Acme", "Bob | WORKS_AT | Acme"]),
    ("Ana works at Acme and lives in Rome.", ["Ana | WORKS_AT | Acme", "Ana | LIVES_IN | Rome"]),
]
COUNTS = [
    ("The team has eight engineers.", ["team | HAS | eight engineers"]),
    ("I've read 12 books so far.", ["Sam | READ | 12 books"]),
    ("I bought three books.", ["Sam | BUY | three books | event"]),
    ("The policy requires 14 characters.", ["policy | REQUIRE | 14 characters"]),
    ("I have no cats.", []),
    ("It has five doors.", []),
    ("I will buy five books.", []),
    ("The team no longer has eight engineers.", ["team | HAS | eight engineers | ends"]),
]
HABITS = [
    ("I go to the gym twice a week.", ["Sam | GO_GYM | twice a week"]),
    ("I see my physio every two weeks.", ["Sam | SEE_PHYSIO | every two weeks"]),
    (
        "The database is backed up hourly instead of weekly.",
        ["database | BACK_UP | weekly | ends", "database | BACK_UP | hourly"],
    ),
    (
        "Swim training takes place on Tuesdays and on Fridays.",
        ["swim training | SCHEDULED_FOR | Tuesdays", "swim training | SCHEDULED_FOR | Fridays"],
    ),
    (
        "Swim training no longer takes place on Fridays.",
        ["swim training | SCHEDULED_FOR | Fridays | ends", "swim training | SCHEDULED_FOR | Fridays | ends"],
    ),
    ("We met on Friday.", ["Sam | MEETS_ON | Friday | event"]),
    ("It happens weekly.", []),
]


@pytest.mark.parametrize(("text", "expected"), FRAMES)
def test_verbs_say_what_the_table_has(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(("text", "expected"), COUNTS)
def test_counts_are_one_at_a_time_where_they_last(
    text: str, expected: list[str], said: Callable[..., list[str]]
) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(("text", "expected"), HABITS)
def test_habits_say_how_often_or_when(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected
