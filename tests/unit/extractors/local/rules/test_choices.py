"""Preferences, choices, decisions, requirements."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CHOICES = [
    ("Ana prefers tea over coffee.", ["Ana | PREFERS | tea"]),
    ("Ana prefers tea.", ["Ana | PREFERS | tea"]),
    ("Ana prefers tea for breakfast.", ["Ana | PREFERS | tea"]),
    ("Ana doesn't prefer tea.", []),
    ("We chose Postgres over MySQL.", ["Sam | CHOSE | Postgres | event", "Postgres | CHOSEN_OVER | MySQL | event"]),
    ("For the app we chose Flutter.", ["Sam | CHOSE | Flutter | event", "app | USES | Flutter | begins"]),
    ("We chose Flutter for mobile work.", ["Sam | CHOSE | Flutter | event", "Sam | USES | Flutter | begins"]),
    ("We're going with Svelte.", ["Sam | CHOSE | Svelte | event"]),
    ("We opted for Svelte.", ["Sam | CHOSE | Svelte | event"]),
    ("We settled on Svelte.", ["Sam | CHOSE | Svelte | event"]),
    ("We decided on Svelte.", ["Sam | CHOSE | Svelte | event"]),
    ("We will choose Svelte.", ["Sam | CHOSE | Svelte | plan"]),
    ("We chose it.", []),
    ("We decided to use Postgres.", ["Sam | DECIDED_TO | use Postgres | begins", "Sam | USES | Postgres | plan"]),
    ("We decided not to use Postgres.", []),
    ("Every endpoint must return JSON.", ["endpoint | MUST | must return JSON"]),
    ("The job needs to run nightly.", ["job | MUST | needs to run nightly"]),
    ("I must go.", []),
    ("Ana must go.", []),
    ("The job had to run.", []),
]


@pytest.mark.parametrize(("text", "expected"), CHOICES)
def test_choices_happen_and_requirements_hold(text: str, expected: list[str], said: Callable[..., list[str]]) -> None:
    assert said(text) == expected
