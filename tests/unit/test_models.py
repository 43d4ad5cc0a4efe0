from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from datetime import timedelta

import pytest

from everfact import models
from everfact.models import Entity, fold_name
from everfact.testing.builders import EARLY, assertion, change, entity, episode, fact

DATACLASSES = [m for m in vars(models).values() if isinstance(m, type) and is_dataclass(m)]


@pytest.mark.parametrize("model", DATACLASSES, ids=lambda model: model.__name__)
def test_models_are_frozen_slotted_and_keyword_only(model: type) -> None:
    assert all(field.kw_only for field in fields(model))
    assert "__slots__" in vars(model)
    with pytest.raises(FrozenInstanceError):
        setattr(object.__new__(model), fields(model)[0].name, None)


def test_recording_moves_only_the_times_that_were_the_changes_own() -> None:
    old, later = EARLY - timedelta(days=9), EARLY + timedelta(days=1)
    alice = entity()
    planned = change(
        alice,
        replace(entity("Old"), created_at=old),
        assertion(alice, None),
        replace(fact(alice), expired_at=EARLY),
        replace(fact(alice), created_at=old, expired_at=old),
        fact(alice, valid_at=EARLY),
    )
    made = planned.recorded(later)
    assert made.created_at == later
    assert [e.created_at for e in made.entities] == [later, old]
    assert [a.created_at for a in made.asserted] == [later]
    assert [(f.created_at, f.expired_at) for f in made.facts] == [(later, later), (old, old), (later, None)]
    assert made.facts[2].valid_at == EARLY


def test_text_is_what_an_item_says() -> None:
    assert episode("told").text == "told"
    assert fact(entity("A"), sentence="A sings").text == "A sings"
    named = Entity(uuid="u", group_id="g", name="Robert", aliases=("Bob",), summary="Sings", created_at=EARLY)
    assert named.text == "Robert, Bob. Sings"
    assert entity("Robert").text == "Robert"


@pytest.mark.parametrize(("name", "folded"), [("  Ada   LOVELACE ", "ada lovelace"), ("Straße", "strasse"), ("", "")])
def test_names_are_compared_without_case_and_spacing(name: str, folded: str) -> None:
    assert fold_name(name) == folded
