"""Laws of clustering and of summaries, for any graph and any text."""

from __future__ import annotations

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from everfact.communities import cluster
from everfact.summarize import sentences_of, summarize

Edge = tuple[str, str, float]

WORDS = ["Ana", "Bob", "lives", "works", "in", "Rome", "at", "Acme", "3.11", "on", "the", "moon", "漢字"]

nodes = st.sampled_from([*"abcdefghijklmnop", "é", "漢", ""])
weights = st.one_of(st.sampled_from([1.0, 2.0, 0.5]), st.floats(1e-6, 1e6))
graphs = st.lists(st.tuples(nodes, nodes, weights), max_size=60)
limits = st.integers(1, 300)
texts = st.lists(st.text(max_size=120), max_size=6)
prose = st.lists(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
        max_size=5,
    ).map(lambda sentences: " ".join(" ".join(words).capitalize() + "!" for words in sentences)),
    max_size=5,
)


def is_connected(community: frozenset[str], edges: list[Edge]) -> bool:
    reached, more = set[str](), {min(community)}
    while more:
        reached |= more
        more = {
            b for one, other, _ in edges for a, b in ((one, other), (other, one)) if a in reached and b in community
        }
        more -= reached
    return reached == community


@given(graphs)
def test_nobody_is_in_two_communities_or_alone_in_one(edges: list[Edge]) -> None:
    found = cluster(edges)
    members = [member for community in found for member in community]
    assert len(members) == len(set(members))
    assert set(members) <= {end for one, other, _ in edges for end in (one, other)}
    assert all(len(community) > 1 for community in found)


@given(graphs)
def test_members_of_a_community_hang_together(edges: list[Edge]) -> None:
    assert all(is_connected(community, edges) for community in cluster(edges))


@given(graphs, st.randoms(use_true_random=False))
def test_order_and_direction_of_the_ties_do_not_matter(edges: list[Edge], random: Random) -> None:
    shuffled = [(other, one, weight) if random.random() < 0.5 else (one, other, weight) for one, other, weight in edges]
    random.shuffle(shuffled)
    assert cluster(shuffled) == cluster(edges)


@given(graphs, st.sampled_from([0.25, 4.0, 1024.0]))
def test_unit_of_the_weights_does_not_matter(edges: list[Edge], unit: float) -> None:
    assert cluster([(one, other, weight * unit) for one, other, weight in edges]) == cluster(edges)


@given(graphs)
def test_two_that_know_only_each_other_are_a_community(edges: list[Edge]) -> None:
    assert frozenset(["x", "y"]) in cluster([*edges, ("x", "y", 1.0)])


@given(texts, limits)
@example(["漢" * 200], 3)
@example(["a" * 200, "b c"], 2)
def test_summary_is_never_longer_than_its_limit(told: list[str], most: int) -> None:
    assert len(summarize(told, most_characters=most)) <= most


@given(texts, limits)
def test_summary_is_made_of_sentences_of_the_text(told: list[str], most: int) -> None:
    rest = summarize(told, most_characters=most)
    assert rest.endswith("…") or is_made_of([s for text in told for s in sentences_of(text) if s], rest)


def is_made_of(sentences: list[str], text: str) -> bool:
    """Whether the text is some of the sentences, in their order, with one blank or line break between two."""
    ends = {0}
    for sentence in sentences:
        starts = {end for end in ends if text.startswith(sentence, end) or not text}
        ends |= {start + len(sentence) for start in starts}
        ends |= {start + len(sentence) + 1 for start in starts if text[start + len(sentence) :][:1] in (" ", "\n")}
    return len(text) in ends


@given(prose, limits)
def test_sentence_of_a_summary_is_whole_and_said_once(told: list[str], most: int) -> None:
    short = summarize(told, most_characters=most)
    if not short.endswith("…"):
        kept = [sentence for sentence in sentences_of(short) if sentence]
        assert set(kept) <= {sentence for text in told for sentence in sentences_of(text)}
        assert len(kept) == len(set(kept))


@given(texts, limits)
def test_same_texts_give_the_same_summary(told: list[str], most: int) -> None:
    assert summarize(told, most_characters=most) == summarize(list(told), most_characters=most)


@given(prose)
def test_text_with_a_word_has_a_summary(told: list[str]) -> None:
    assert bool(summarize(told)) is any(told)
