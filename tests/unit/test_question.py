"""What a question is taken to ask for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from everfact.question import Times, possible_names, read_question

ASKED_AT = datetime(2026, 6, 1, 12, tzinfo=UTC)


def at(year: int, month: int = 1, day: int = 1, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


def times(text: str) -> Times:
    return read_question(text, ASKED_AT).times


def period(text: str) -> tuple[datetime, datetime] | None:
    """From when, and up to what moment that no longer counts."""
    found = times(text).period
    return None if found is None else (found[0], found[1] + timedelta(microseconds=1))


def test_telling_words_stay_each_once() -> None:
    question = read_question("What is the name of the dog of my dog walker?", ASKED_AT)
    assert question.terms == ("name", "dog", "walker")
    assert question.words[:3] == ("what", "is", "the")


def test_only_small_words_are_words_all_the_same() -> None:
    assert read_question("of the of", ASKED_AT).terms == ("of", "the")


def test_no_words_is_no_question() -> None:
    assert read_question("?!… \0 __", ASKED_AT).words == ()


def test_pairs_have_a_telling_word_and_no_speaker() -> None:
    question = read_question("Is it the red car of Ana?", ASKED_AT, ("Ana",))
    assert question.pairs == (("the", "red"), ("red", "car"), ("car", "of"))


def test_one_speaker_is_whom_it_is_about_and_no_search_word() -> None:
    question = read_question("When did Ana Costa paint?", ASKED_AT, ("Ana Costa",))
    assert (question.speaker, question.terms) == ("Ana Costa", ("paint",))


def test_several_speakers_are_nobody_in_particular() -> None:
    assert read_question("Did Ana meet Bob?", ASKED_AT, ("Ana", "Bob")).speaker == ""


def test_name_alone_remains_a_search_word() -> None:
    assert read_question("Who is Ana?", ASKED_AT, ("Ana",)).terms == ("ana",)


def test_only_the_beginning_of_a_document_is_read() -> None:
    question = read_question("word " * 20_000 + "unheard", ASKED_AT)
    assert (question.terms, len(question.text)) == (("word",), 2_000)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What did you recommend for dinner?", "assistant"),
        ("Remind me of our previous conversation about hats", "assistant"),
        ("What did I say you recommended?", "assistant"),
        ("The one I mentioned when you suggested it", "user"),
        ("Which car do I drive?", "user"),
        ("Summarize what you told me", ""),
    ],
)
def test_whose_words_are_wanted(text: str, role: str) -> None:
    assert read_question(text, ASKED_AT).role == role


def test_kind_of_answer_expected() -> None:
    when = read_question("When did she move?", ASKED_AT)
    many = read_question("How many cats does she have?", ASKED_AT)
    assert (when.asks_when, when.asks_number) == (True, False)
    assert (many.asks_when, many.asks_number) == (False, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where did I live last March?", (at(2026, 3), at(2026, 4))),
        ("What did I eat yesterday?", (at(2026, 5, 31), at(2026, 6))),
        ("Where was she in 2019?", (at(2019), at(2020))),
        ("Where was she in December 2019?", (at(2019, 12), at(2020))),
        ("Where was she on 5 March 2024?", (at(2024, 3, 5), at(2024, 3, 6))),
        ("Where was she on March 5th, 2024?", (at(2024, 3, 5), at(2024, 3, 6))),
        ("What was on 31 February 2024?", (at(2024, 2), at(2024, 3))),
        ("Where was she between 2019 and 2021?", (at(2019), at(2022))),
        ("Was it in March 2024, or not before 2026?", (at(2024, 3), at(2024, 4))),
        ("What do we do in March?", None),
        ("Where does she live?", None),
    ],
)
def test_time_asked_about(text: str, expected: tuple[datetime, datetime] | None) -> None:
    assert period(text) == expected


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        ("What happened in 2019?", [(at(2019), at(2020))]),
        ("What happened in May 2019?", [(at(2019, 5), at(2019, 6))]),
        ("What happened on 12 May 2019?", [(at(2019, 5, 7), at(2019, 5, 18))]),
        ("What happened on 2 May 2019?", [(at(2019, 5), at(2019, 5, 8))]),
        ("What happened yesterday?", [(at(2026, 5, 28), at(2026, 6, 4))]),
        ("What happened in May?", []),
        ("What happened between 2019 and 2021?", []),
    ],
)
def test_where_to_look_for_what_was_told_then(text: str, windows: list[tuple[datetime, datetime]]) -> None:
    assert times(text).windows == windows


@pytest.mark.parametrize("text", ["May I have it?", "Did they march on?", "How do I mar it?", "What may we do?"])
def test_may_and_march_are_words_too(text: str) -> None:
    assert times(text) == Times()


@pytest.mark.parametrize("text", ["What was in may?", "What was on may 3?", "What was on the 3rd of may?", "may 2024?"])
def test_may_is_a_month_where_the_words_beside_say_so(text: str) -> None:
    assert times(text).month == 5


def test_day_beyond_31_is_no_day() -> None:
    assert (times("In May 45 people came").month, times("In May 45 people came").day) == (5, 0)


def test_telling_of_that_month_fits_whatever_the_year() -> None:
    asked = times("What did we do in May?")
    assert [asked.fit(at(2020, 5, 9)), asked.fit(at(2026, 5)), asked.fit(at(2026, 4, 30))] == [1.0, 1.0, 0.0]


def test_very_day_fits_best_and_days_off_less() -> None:
    asked = times("What did we do on 12 May 2024?")
    assert asked.fit(at(2024, 5, 12)) == 2.0
    assert 0 < asked.fit(at(2024, 5, 15)) < 2
    assert asked.fit(at(2024, 5, 31)) == 0.0
    assert asked.fit(at(2023, 5, 12)) == 0.0


def test_days_beside_a_span_fit_less_and_less() -> None:
    asked = times("What did we do yesterday?")
    assert asked.fit(at(2026, 5, 31, 12)) == 1.0
    assert asked.fit(at(2026, 5, 31, 12) - timedelta(days=3)) > asked.fit(at(2026, 5, 26)) > 0
    assert asked.fit(at(2026, 1)) == 0.0


def test_nothing_fits_where_no_time_is_named() -> None:
    assert times("What did we do?").fit(ASKED_AT) == 0.0


def test_moments_are_compared_in_utc() -> None:
    evening = datetime.fromisoformat("2024-05-31T23:00:00-05:00")
    assert times("In June 2024?").fit(evening) == 1.0


def test_text_that_names_such_a_year_fits() -> None:
    asked = times("Who won between 2019 and 2021?")
    assert asked.fit_years("She won in 2020.")
    assert not asked.fit_years("She won in 2022, at 1200 metres.")
    assert not times("Who won?").fit_years("In 2020")


def test_dates_at_the_ends_of_the_calendar_are_left_out() -> None:
    first = datetime(1, 1, 2, tzinfo=UTC)
    assert read_question("What was yesterday?", first).times == Times()


def test_names_are_runs_of_words_as_they_are_spelt() -> None:
    found = possible_names("Where does Ana Costa's dog sleep?")
    assert {"Ana", "Costa", "Ana Costa", "dog", "Ana Costa dog", "dog sleep"} <= set(found)
    assert not {"Where", "does", "Where does"} & set(found)


def test_names_are_no_more_than_can_be_looked_up() -> None:
    assert len(possible_names(" ".join(f"name{n}" for n in range(500)))) == 64
