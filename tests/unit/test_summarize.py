"""Extractive summaries of texts and of threads."""

from __future__ import annotations

from datetime import timedelta

import pytest

from everfact import summarize as module
from everfact.errors import NotFound, UsageError
from everfact.summarize import SagaSummary, sentences_of, summarize, summarize_saga
from everfact.testing.builders import EARLY, episode
from everfact.testing.reference import ReferenceStore

NEWS = [
    "The payment service moved from MySQL to Postgres in May. Lunch was fine.",
    "Since the payment service runs on Postgres, the nightly export is twice as fast. Somebody laughed.",
    "Export jobs of the payment service must not lock Postgres tables. It rained.",
]


def found(text: str) -> list[str]:
    return [sentence for sentence in sentences_of(text) if sentence]


def test_nothing_in_gives_nothing_out() -> None:
    assert summarize([]) == summarize(["", "  \n\n"]) == summarize(["...", "---\n* * *"]) == ""


def test_what_fits_is_kept_whole_and_in_order() -> None:
    assert summarize(NEWS) == " ".join(NEWS)


def test_sentences_about_what_all_share_come_before_asides() -> None:
    short = summarize(NEWS, most_characters=210)
    assert "payment service" in short
    assert not {"Lunch was fine.", "Somebody laughed.", "It rained."} & set(found(short))


def test_sentence_that_shares_nothing_stands_back_behind_those_that_share() -> None:
    aside = "Somebody left a red umbrella near our door."
    texts = [aside, "Postgres holds every invoice of the shop.", "Every invoice of the shop is in Postgres."]
    assert aside not in summarize(texts, most_characters=50)


def test_blank_between_sentences_takes_room_too() -> None:
    assert summarize(["Ana runs. Bob sits."], most_characters=19) == "Ana runs. Bob sits."
    assert summarize(["Ana runs. Bob sits."], most_characters=18) == "Ana runs."


def test_order_is_that_of_the_texts_not_of_the_rank() -> None:
    kept = found(summarize(NEWS, most_characters=210))
    everything = [sentence for text in NEWS for sentence in found(text)]
    assert kept == [sentence for sentence in everything if sentence in kept]
    assert len(kept) > 1


def test_sentence_said_again_is_kept_once() -> None:
    assert summarize(["Ana moved to Rome.", "ana moved to rome!", "Ana moved to Rome."]) == "Ana moved to Rome."


def test_sentence_with_another_value_is_no_repetition() -> None:
    both = "The release is planned for the third of May. The release is planned for the ninth of May."
    assert summarize([both]) == both


def test_what_was_said_already_makes_room_for_something_new() -> None:
    texts = [
        "The build is broken on the main branch again.",
        "The build is now broken on the main branch again.",
        "Carol owns the deploy keys of the branch.",
    ]
    assert "Carol" in summarize(texts, most_characters=95)


def test_fragment_stands_back_behind_a_sentence() -> None:
    assert summarize(["Postgres!", "We run Postgres on two machines."], most_characters=35).startswith("We run")


def test_line_without_a_stop_keeps_its_line() -> None:
    assert summarize(["Ana lives in Rome\nBob owns Acme. “Really?” Yes"]) == (
        "Ana lives in Rome\nBob owns Acme. “Really?” Yes"
    )


def test_long_sentence_is_cut_at_a_word() -> None:
    assert summarize(["one two three four five"], most_characters=14) == "one two three…"
    assert summarize(["one two three four five"], most_characters=13) == "one two…"


def test_word_that_is_longer_than_all_the_room_is_cut_anywhere() -> None:
    assert summarize(["https://example.org/a/b/c"], most_characters=10) == "https://e…"
    assert summarize(["word"], most_characters=1) == "…"


def test_no_room_is_an_error() -> None:
    with pytest.raises(UsageError, match="holds nothing"):
        summarize(NEWS, most_characters=0)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("We use 3.11. It works!  Does it? Yes", ["We use 3.11.", "It works!", "Does it?", "Yes"]),
        ("Dr. Smith met J. Doe. They talked, e.g. about it.", ["Dr. Smith met J. Doe.", "They talked, e.g. about it."]),
        ("He said “stop.” Then (after all.) he left", ["He said “stop.”", "Then (after all.)", "he left"]),
        ("Wait... what?! ok", ["Wait...", "what?!", "ok"]),
        ("first line\r\nsecond line\u2028third", ["first line", "second line", "third"]),
        ("我住在罗马。他说「好。」你呢?再见！", ["我住在罗马。", "他说「好。」", "你呢?再见！"]),  # noqa: RUF001
        ("मैं रोम में हूँ। वह यहाँ है।", ["मैं रोम में हूँ।", "वह यहाँ है।"]),
        ("أين أنت؟ أنا هنا.", ["أين أنت؟", "أنا هنا."]),
    ],
)
def test_sentences_are_told_apart_in_any_script(text: str, sentences: list[str]) -> None:
    assert found(text) == sentences


def test_script_without_blanks_is_summarized_by_pairs_of_characters() -> None:
    texts = ["支付服务使用数据库。", "天气很好。", "数据库每天备份支付服务。"]
    assert found(summarize(texts, most_characters=24)) == [texts[0], texts[2]]


async def tell(store: ReferenceStore, *contents: str, thread: str = "trip", group_id: str = "home") -> None:
    for number, content in enumerate(contents):
        when = EARLY + timedelta(hours=number)
        await store.add_episode(episode(content, group_id, thread=thread, reference_time=when))


async def test_saga_is_summarized_in_the_order_it_was_told() -> None:
    store = ReferenceStore()
    await tell(store, "We fly to Rome on Monday.", "The hotel in Rome is booked.")
    await tell(store, "Something else in Rome.", thread="work")
    await tell(store, "Not ours in Rome.", group_id="away")
    assert await summarize_saga(store, "trip", "home") == SagaSummary(
        thread="trip",
        group_id="home",
        episodes=2,
        text="We fly to Rome on Monday. The hotel in Rome is booked.",
        is_extractive=True,
    )


async def test_position_and_not_reference_time_orders_a_saga() -> None:
    store = ReferenceStore()
    for content, hour in (("Told first, of later.", 9), ("Told second, of earlier.", 1)):
        await store.add_episode(episode(content, thread="trip", reference_time=EARLY + timedelta(hours=hour)))
    assert (await summarize_saga(store, "trip", "home")).text == "Told first, of later. Told second, of earlier."


@pytest.mark.parametrize("thread", ["trip", ""])
async def test_thread_without_episodes_is_not_found(thread: str) -> None:
    store = ReferenceStore()
    await tell(store, "Told outside any thread.", thread="")
    with pytest.raises(NotFound, match="no episodes in the thread") as caught:
        await summarize_saga(store, thread, "home")
    assert caught.value.hint


async def test_long_saga_is_summarized_from_its_most_recent_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ReferenceStore()
    await tell(store, *(f"Turn {number} went well." for number in range(9)))
    monkeypatch.setattr(module, "_PAGE", 2)
    assert (await summarize_saga(store, "trip", "home")).episodes == 9
    monkeypatch.setattr(module, "_MOST_EPISODES", 4)
    short = await summarize_saga(store, "trip", "home")
    assert short.episodes == 4
    assert short.text == "Turn 5 went well. Turn 6 went well. Turn 7 went well. Turn 8 went well."


async def test_no_more_text_is_read_than_is_worth_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ReferenceStore()
    await tell(store, *(f"Turn {number} went well." for number in range(9)))
    monkeypatch.setattr(module, "_PAGE", 2)
    monkeypatch.setattr(module, "_MOST_TEXT", 50)
    assert (await summarize_saga(store, "trip", "home")).episodes == 4
