"""Laws of resolving names, for any text."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from everfact.models import Entity, Mention, fold_name
from everfact.resolve import Bond, keys, resolve, same

VOCABULARY = """
    Ana Costa Silva Bob Robert Smith Dr. Mr Mrs Jr II XIV The of United States US American Records Navy Inc. 3.11
    Paris, (TBS) IOC International Olympic Committee São e A. B. White Sox National
"""
WORDS = VOCABULARY.split()
TYPES = ("", "Person", "Organization", "Location", "Document", "PER", "ORG", "Entity")

names = st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
mentions = st.builds(lambda name, type_: Mention(name=name, type=type_), names, st.sampled_from(TYPES))


@st.composite
def entities(draw: st.DrawFn) -> list[Entity]:
    mades = draw(st.lists(st.tuples(mentions, st.lists(names, max_size=2)), max_size=5))
    return [
        Entity(
            uuid=str(number),
            group_id="g",
            name=made.name,
            types=(made.type,) if made.type else (),
            aliases=tuple(aliases),
            created_at=datetime(2024, 1, 1, tzinfo=UTC),
        )
        for number, (made, aliases) in enumerate(mades)
    ]


@given(mentions)
def test_everything_is_itself(mention: Mention) -> None:
    assert same(mention, mention) is Bond.EXACT


@given(mentions, mentions)
@example(Mention(name="Bank of Ana", type="ORG"), Mention(name="Bank Ana Group", type="ORG"))
@example(Mention(name="north korean", type="ORG"), Mention(name="northkorean", type="Document"))
def test_sameness_is_mutual(a: Mention, b: Mention) -> None:
    assert same(a, b) is same(b, a)


@given(mentions, entities(), st.randoms(use_true_random=False))
def test_order_of_candidates_does_not_matter(mention: Mention, candidates: list[Entity], random: Random) -> None:
    found = resolve(mention, candidates)
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert resolve(mention, shuffled) == found
    assert found is None or found in candidates


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from(TYPES))
def test_case_space_and_accents_do_not_matter(words: list[str], type_: str) -> None:
    name = " ".join(words)
    accented = "".join(f"{char}\u0301" if char in "aeiou" else char for char in name)
    for spelling in (
        name.upper(),
        name.lower(),
        f"  {'   '.join(words)} ",
        accented,
        unicodedata.normalize("NFC", accented),
    ):
        assert same(Mention(name=name, type=type_), Mention(name=spelling, type=type_)) >= Bond.PLAIN


@given(names)
def test_keys_are_folded_and_begin_with_the_name(name: str) -> None:
    found = keys(name)
    assert found[:1] == ((fold_name(name),) if fold_name(name) else ())
    assert all(key == fold_name(key) for key in found)


@given(mentions, entities())
def test_entity_with_the_very_name_is_found_unless_another_has_it_too(mention: Mention, others: list[Entity]) -> None:
    namesake = Entity(
        uuid="it", group_id="g", name=mention.name, types=(mention.type,), created_at=datetime(2024, 1, 1, tzinfo=UTC)
    )
    rivals = [other for other in others if fold_name(mention.name) in map(fold_name, (other.name, *other.aliases))]
    if not rivals:
        assert resolve(mention, [*others, namesake]) is namesake
