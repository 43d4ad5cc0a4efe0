"""What a date in a text means. All are told on Wednesday, 14 June 2023, unless a test says otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from everfact.dates import DateRole, When, find_dates
from everfact.models import Granularity

TOLD = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)


def spans(text: str, told: datetime = TOLD) -> list[str]:
    """Each date as `2023-06-14/2023-06-15`, the second day not included."""
    return [f"{when.start:%Y-%m-%d}/{when.end:%Y-%m-%d}" for when in find_dates(text, told)]


def only(text: str, told: datetime = TOLD) -> When:
    (when,) = find_dates(text, told)
    return when


def day(text: str) -> str:
    start = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return f"{start:%Y-%m-%d}/{start + timedelta(days=1):%Y-%m-%d}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met yesterday.", "2023-06-13"),
        ("I saw her the day before yesterday.", "2023-06-12"),
        ("The launch is tomorrow.", "2023-06-15"),
        ("We leave the day after tomorrow.", "2023-06-16"),
        ("Had a great time last night!", "2023-06-13"),
        ("I ran five miles this morning.", "2023-06-14"),
        ("Dinner tonight?", "2023-06-14"),
        ("Ship it EOD.", "2023-06-14"),
        ("Two days ago I bought a car.", "2023-06-12"),
        ("It broke 12 days ago", "2023-06-02"),
        ("It broke 2 weeks and 2 days ago.", "2023-05-29"),
        ("It will be done in two weeks.", "2023-06-28"),
        ("It will be done in three days.", "2023-06-17"),
        ("Come back two weeks from now.", "2023-06-28"),
        ("Two days before yesterday it rained.", "2023-06-11"),
        ("The review is a week from tomorrow.", "2023-06-22"),
        ("The review is three days after 30 June.", "2023-07-03"),
        ("I'll be back two days from Friday.", "2023-06-18"),
        ("The report is due by EOW.", "2023-06-16"),
        ("The report is due by EOM.", "2023-06-30"),
        ("The report is due by EOY.", "2023-12-31"),
    ],
)
def test_day_told_from_now(text: str, expected: str) -> None:
    assert spans(text) == [day(expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Last Friday I went hiking.", "2023-06-09"),
        ("Last Tues we talked.", "2023-06-13"),
        ("Last Wednesday we talked.", "2023-06-07"),
        ("This past Sunday was great.", "2023-06-11"),
        ("We play next Saturday.", "2023-06-17"),
        ("We play next Wednesday.", "2023-06-21"),
        ("We meet this coming Monday.", "2023-06-19"),
        ("I hosted a class on Friday.", "2023-06-09"),
        ("I will host a class on Friday.", "2023-06-16"),
        ("The class is on Friday.", "2023-06-16"),
        ("We're leaving Friday.", "2023-06-16"),
        ("Finish the draft by Friday.", "2023-06-16"),
        ("It worked until then, and has been down since Friday.", "2023-06-09"),
        ("Was it on Wed?", "2023-06-07"),
        ("Lunch next week on Tuesday.", "2023-06-20"),
        ("Lunch on Tuesday of next week.", "2023-06-20"),
        ("We met Friday last week.", "2023-06-09"),
        ("I'll go back Monday two weeks from now.", "2023-06-26"),
        ("Coffee on Tuesday the twentieth.", "2023-06-20"),
        ("Are you free on Monday 19?", "2023-06-19"),
        ("Let's meet Fri 23rd.", "2023-06-23"),
        ("The Friday before 15 July 2023 it rained.", "2023-07-14"),
        ("The Friday after 14 July 2023 it rained.", "2023-07-21"),
        ("The first Monday of July is a holiday.", "2023-07-03"),
        ("Pay on the last Friday of the month.", "2023-06-30"),
    ],
)
def test_weekday_is_the_last_or_next_one_as_the_sentence_says(text: str, expected: str) -> None:
    assert spans(text) == [day(expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Released 2024-03-04.", "2024-03-04"),
        ("Released 2024/3/4.", "2024-03-04"),
        ("report-20170302.html", "2017-03-02"),
        ("On 2016 10 16, it started.", "2016-10-16"),
        ("公開日は2024年3月4日です", "2024-03-04"),
        ("Signed 3/4/2024.", "2024-03-04"),
        ("Signed 25/4/2024.", "2024-04-25"),
        ("Signed 3/4/24.", "2024-03-04"),
        ("Signed 3/4/87.", "1987-03-04"),
        ("Signed 10-1-2018.", "2018-10-01"),
        ("Unterschrieben am 4.3.2024.", "2024-03-04"),
        ("I paid on 6/1.", "2023-06-01"),
        ("I paid on 22/04.", "2023-04-22"),
        ("Submit by 6/30.", "2023-06-30"),
        ("We met Friday 6-9.", "2023-06-09"),
        ("My birthday is May 5th.", "2023-05-05"),
        ("The party was on 5 May.", "2023-05-05"),
        ("It opened on May 5, 2021.", "2021-05-05"),
        ("It opened on Dec. 31 , 1994", "1994-12-31"),
        ("It opened Dec31.", "2022-12-31"),
        ("It opened on the 4th of July, 1995.", "1995-07-04"),
        ("It opened on the fourth of July of 1995.", "1995-07-04"),
        ("Born on 15 April of 87.", "1987-04-15"),
        ("Born on 15 April '87.", "1987-04-15"),
        ("Born January first two thousand and thirty two", "2032-01-01"),
        ("Born 13 Sept nineteen seventy two", "1972-09-13"),
        ("Log of 23/Sep/2020", "2020-09-23"),
        ("Log of 2020-Sep-23", "2020-09-23"),
        ("Log of Sep-23-2020", "2020-09-23"),
        ("we met on may 5", "2023-05-05"),
        ("We met on Tue May 9.", "2023-05-09"),
        ("We met on May 9 (Tuesday).", "2023-05-09"),
        ("We met Tuesday (May 9).", "2023-05-09"),
        ("It dropped on the 11th and sold well.", "2023-06-11"),
        ("It will drop on the 11th.", "2023-07-11"),
        ("It is due by the 20th.", "2023-06-20"),
        ("Rent is due on the 5th of next month.", "2023-07-05"),
        ("We come back on the twenty third day of September.", "2023-09-23"),
        ("Nos vemos el 5 de mayo de 2024.", "2024-05-05"),
        ("Wir sehen uns am 5. März 2024.", "2024-03-05"),
        ("Rendez-vous le 3 juillet", "2023-07-03"),
        ("Ich war gestern dort.", "2023-06-13"),
        ("C’est pour aujourd’hui.", "2023-06-14"),  # noqa: RUF001 - the apostrophe people type
        ("It broke on the 31st.", "2023-05-31"),
        ("It broke late yesterday.", "2023-06-13"),
    ],
)
def test_calendar_date(text: str, expected: str) -> None:
    assert spans(text) == [day(expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I had a setback last week.", "2023-06-07/2023-06-14"),
        ("What I did this week!", "2023-06-12/2023-06-19"),
        ("See you next week.", "2023-06-19/2023-06-26"),
        ("See you the week after next.", "2023-06-26/2023-07-03"),
        ("It was the week before last.", "2023-05-29/2023-06-05"),
        ("The week before 9 June 2023 was calm.", "2023-06-02/2023-06-09"),
        ("The week after 9 June 2023 was calm.", "2023-06-10/2023-06-17"),
        ("The week of June 9 was calm.", "2023-06-05/2023-06-12"),
        ("Meet in the week beginning July 3.", "2023-07-03/2023-07-10"),
        ("Meet w/c July 3.", "2023-07-03/2023-07-10"),
        ("Two weeks ago I read it.", "2023-05-31/2023-06-07"),
        ("The first week of April was cold.", "2023-04-01/2023-04-08"),
        ("The last week of July 2022 was hot.", "2022-07-25/2022-08-01"),
        ("Planned for 2024-W05.", "2024-01-29/2024-02-05"),
        ("Planned for week 5 of 2024.", "2024-01-29/2024-02-05"),
        ("We biked last weekend.", "2023-06-10/2023-06-12"),
        ("This past weekend was insane.", "2023-06-10/2023-06-12"),
        ("I'm hiking this weekend.", "2023-06-17/2023-06-19"),
        ("I slept a lot over the weekend.", "2023-06-10/2023-06-12"),
        ("Two weekends ago we camped.", "2023-06-03/2023-06-05"),
        ("Next weekend we camp.", "2023-06-24/2023-06-26"),
        ("The weekend before 20 October 2023.", "2023-10-14/2023-10-16"),
        ("The weekend after 3 June 2022.", "2022-06-04/2022-06-06"),
        ("The weekend after 4 June 2022.", "2022-06-11/2022-06-13"),
        ("The weekend of 22 August 2022.", "2022-08-27/2022-08-29"),
        ("The first weekend in July is taken.", "2023-07-01/2023-07-03"),
        ("A few days ago it broke.", "2023-06-10/2023-06-13"),
        ("I adopted a dog the other day.", "2023-06-10/2023-06-13"),
        ("A couple of weeks ago it broke.", "2023-05-31/2023-06-07"),
        ("Over the past fortnight it rained.", "2023-05-31/2023-06-14"),
    ],
)
def test_week_or_weekend(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I finished it last month.", "2023-05-01/2023-06-01"),
        ("I start next month.", "2023-07-01/2023-08-01"),
        ("I lost my job this month.", "2023-06-01/2023-07-01"),
        ("Two months ago I moved.", "2023-04-01/2023-05-01"),
        ("We married in June.", "2023-06-01/2023-07-01"),
        ("We married in August.", "2022-08-01/2022-09-01"),
        ("We will marry in August.", "2023-08-01/2023-09-01"),
        ("We will marry in march", "2024-03-01/2024-04-01"),
        ("Last June we moved.", "2022-06-01/2022-07-01"),
        ("Next June we move.", "2024-06-01/2024-07-01"),
        ("This September we move.", "2023-09-01/2023-10-01"),
        ("I was born in April of 1987.", "1987-04-01/1987-05-01"),
        ("I was there in 2017 April.", "2017-04-01/2017-05-01"),
        ("Since November last year I fly more.", "2022-11-01/2022-12-01"),
        ("Last year in May I moved.", "2022-05-01/2022-06-01"),
        ("Invoice of 2015-12", "2015-12-01/2016-01-01"),
        ("Inauguré en janvier 2020", "2020-01-01/2020-02-01"),
        ("Sales rose in Q3 2019.", "2019-07-01/2019-10-01"),
        ("Sales rose in 2017-q1.", "2017-01-01/2017-04-01"),
        ("Plans for H2 2024", "2024-07-01/2025-01-01"),
        ("Plans for Q4", "2023-10-01/2024-01-01"),
        ("Sales rose last quarter.", "2023-01-01/2023-04-01"),
        ("The last two quarters were good.", "2022-10-01/2023-04-01"),
        ("The first quarter of 2020 was bad.", "2020-01-01/2020-04-01"),
        ("Last summer we hiked.", "2022-06-01/2022-09-01"),
        ("Next winter we ski.", "2023-12-01/2024-03-01"),
        ("We moved in the fall of 2019.", "2019-09-01/2019-12-01"),
        ("We moved in spring.", "2023-03-01/2023-06-01"),
        ("By the end of summer it works.", "2023-08-01/2023-09-01"),
        ("The end of the month is near.", "2023-06-21/2023-07-01"),
        ("Early June was cold.", "2023-06-01/2023-06-11"),
        ("In mid-May it rained.", "2023-05-11/2023-05-21"),
        ("Earlier this month it rained.", "2023-06-01/2023-06-14"),
        ("Later this month it rains.", "2023-06-14/2023-07-01"),
        ("The rest of the month is free.", "2023-06-14/2023-07-01"),
    ],
)
def test_month_quarter_or_season(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I painted it last year!", "2022-01-01/2023-01-01"),
        ("Three years ago I was in Rio.", "2020-01-01/2021-01-01"),
        ("A year ago I was in Rio.", "2022-01-01/2023-01-01"),
        ("The year before last I was in Rio.", "2021-01-01/2022-01-01"),
        ("The year before 2015 was fine.", "2014-01-01/2015-01-01"),
        ("The wedding was in 1993.", "1993-01-01/1994-01-01"),
        ("Sales of 2007 fell.", "2007-01-01/2008-01-01"),
        ("Atomic Blonde (2017)", "2017-01-01/2018-01-01"),
        ("They left in nineteen ninety six.", "1996-01-01/1997-01-01"),
        ("Early 2020 was odd.", "2020-01-01/2020-05-02"),
        ("At the end of 2000 it began.", "2000-09-01/2001-01-01"),
        ("The music of the 90s is back.", "1990-01-01/2000-01-01"),
        ("The 1980s were loud.", "1980-01-01/1990-01-01"),
        ("In the nineties it was loud.", "1990-01-01/2000-01-01"),
        ("The last decade was loud.", "2010-01-01/2020-01-01"),
        ("The next two decades will be loud.", "2030-01-01/2050-01-01"),
        ("In the 15th century it was quiet.", "1400-01-01/1500-01-01"),
        ("The last four months of 2021 were wild.", "2021-09-01/2022-01-01"),
    ],
)
def test_year_or_longer(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on Christmas Eve.", "2022-12-24"),
        ("We will meet on Christmas.", "2023-12-25"),
        ("We met on New Year's Day.", "2023-01-01"),
        ("We met last Halloween.", "2022-10-31"),
        ("We meet next Easter.", "2024-03-31"),
        ("We met on Good Friday.", "2023-04-07"),
        ("It rained on Ash Wednesday.", "2023-02-22"),
        ("Meet on Labor Day.", "2023-09-04"),
        ("It was Thanksgiving 2023.", "2023-11-23"),
        ("It was cheap on Black Friday 2010.", "2010-11-26"),
        ("We met on Memorial Day.", "2023-05-29"),
    ],
)
def test_holiday(text: str, expected: str) -> None:
    assert spans(text) == [day(expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I rest on Labor Day weekend.", "2023-09-02/2023-09-05"),
        ("I rest on thanksgiving weekend 2023.", "2023-11-23/2023-11-27"),
    ],
)
def test_weekend_of_a_holiday_reaches_to_it(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He worked there from 2019 to 2022.", "2019-01-01/2023-01-01"),
        ("He worked there between 2019 and 2022.", "2019-01-01/2023-01-01"),
        ("He worked there 2019–2022.", "2019-01-01/2023-01-01"),  # noqa: RUF001 - the dash of ranges
        ("The heat lasted from May to July 2020.", "2020-05-01/2020-08-01"),
        ("The heat lasted from November to February.", "2022-11-01/2023-03-01"),
        ("It ran from 5/1/2019-5/7/2020.", "2019-05-01/2020-05-08"),
        ("I was off from 5/1 to 5/7.", "2023-05-01/2023-05-08"),
        ("I am off May 5-7, 2024.", "2024-05-05/2024-05-08"),
        ("I am off from the 3rd to the 12th of July.", "2023-07-03/2023-07-13"),
        ("I am off between 3 and 12 July.", "2023-07-03/2023-07-13"),
        ("I am off 3 and 4 July.", "2023-07-03/2023-07-05"),
        ("The siege lasted from May to October 1500.", "1500-05-01/1500-11-01"),
        ("The siege lasted from the 20th to 3 May 1950.", "1950-04-20/1950-05-04"),
        ("I am off from next Monday to Friday.", "2023-06-19/2023-06-24"),
        ("I am off from July 20 to the 3rd.", "2023-07-20/2023-08-04"),
        ("I am off between now and July 3.", "2023-06-14/2023-07-04"),
        ("I am off from now until July 3.", "2023-06-14/2023-07-04"),
        ("The last three months were hard.", "2023-03-14/2023-06-14"),
        ("The past few days were hard.", "2023-06-11/2023-06-14"),
        ("The next three days are free.", "2023-06-15/2023-06-18"),
        ("What happened in the 5 past years?", "2018-06-14/2023-06-14"),
        ("The next 4 business days are full.", "2023-06-15/2023-06-21"),
        ("The previous 4 business days were full.", "2023-06-08/2023-06-14"),
        ("In the past year I ran.", "2022-06-14/2023-06-14"),
        ("It will be done within two weeks.", "2023-06-14/2023-06-28"),
        ("I am out for 3 days from Monday.", "2023-06-19/2023-06-22"),
        ("I am out 2 weeks starting July 3.", "2023-07-03/2023-07-17"),
    ],
)
def test_range_includes_both_ends(text: str, expected: str) -> None:
    assert spans(text) == [expected]


def test_and_between_two_dates_keeps_both() -> None:
    assert spans("Show the sales of 2007 and 2009.") == [
        "2007-01-01/2008-01-01",
        "2009-01-01/2010-01-01",
    ]
    assert spans("I'm free on 6/20, 6/22 or 6/25.") == [day("2023-06-20"), day("2023-06-22"), day("2023-06-25")]
    assert spans("Not 5 and 12 May.") == [day("2023-05-12")]


def test_longest_of_overlapping_readings_wins() -> None:
    assert spans("Not May 5 June 2021.") == [day("2021-06-05")]


def test_month_that_a_year_does_not_have_leaves_the_year() -> None:
    assert spans("the 0th month of 2020") == ["2020-01-01/2021-01-01"]
    assert spans("the 13th month of 2020") == ["2020-01-01/2021-01-01"]


def test_later_counts_from_the_date_before_it() -> None:
    assert spans("On 1 May 2020 it failed; three days later it worked, the next day it failed.") == [
        day("2020-05-01"),
        day("2020-05-04"),
        day("2020-05-05"),
    ]
    assert spans("Three days later it worked.") == [day("2023-06-17")]
    assert spans("It began on 5 May 2020; two days earlier we had met.") == [day("2020-05-05"), day("2020-05-03")]


def test_leap_day_without_a_year_is_in_a_leap_year() -> None:
    assert spans("We met on Feb 29.") == [day("2020-02-29")]


def test_day_eleven_months_off_is_the_near_one_whatever_the_tense() -> None:
    assert spans("I was invited to the talk on June 20.") == [day("2023-06-20")]


@pytest.mark.parametrize(
    ("text", "role", "phrase"),
    [
        ("I moved in June.", DateRole.AT, "in June"),
        ("She works there since 2019.", DateRole.SINCE, "since 2019"),
        ("Starting July 1 we meet daily.", DateRole.SINCE, "Starting July 1"),
        ("From 2019 on, she worked there.", DateRole.SINCE, "From 2019 on"),
        ("2010 - Present", DateRole.SINCE, "2010 - Present"),
        ("I've had them for 3 years now.", DateRole.SINCE, "for 3 years now"),
        ("We have been together for three years.", DateRole.SINCE, "for three years"),
        ("Been playing it for a month now.", DateRole.SINCE, "for a month now"),
        ("Seven years now, and I still like it.", DateRole.SINCE, "Seven years now"),
        ("She stays until March.", DateRole.UNTIL, "until March"),
        ("Finish by Friday.", DateRole.BY, "by Friday"),
        ("That was before 2019.", DateRole.BEFORE, "before 2019"),
        ("That was after 2019.", DateRole.AFTER, "after 2019"),
        ("She stayed from 2019 to 2022.", DateRole.DURING, "from 2019 to 2022"),
        ("Away between May 5 and May 7.", DateRole.DURING, "between May 5 and May 7"),
        ("Away May 5-7.", DateRole.DURING, "May 5-7"),
        ("Until the end of the year we stay.", DateRole.UNTIL, "Until the end of the year"),
    ],
)
def test_preposition_gives_the_role_and_belongs_to_the_span(text: str, role: DateRole, phrase: str) -> None:
    when = only(text)
    assert (when.role, text[slice(*when.span)]) == (role, phrase)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've had them for 3 years.", "2020-01-01/2021-01-01"),
        ("I've worked there for about 4 years and 3 months now.", "2019-03-01/2019-04-01"),
        ("She has lived here for two weeks.", "2023-05-31/2023-06-07"),
    ],
)
def test_what_has_lasted_up_to_now_began_then(text: str, expected: str) -> None:
    assert spans(text) == [expected]


@pytest.mark.parametrize(
    ("text", "start", "minutes"),
    [
        ("2024-03-04T15:00:30Z it failed", "2024-03-04T15:00:30", 1 / 60),
        ("2024-03-04 15:00 it failed", "2024-03-04T15:00:00", 1),
        ("2024-03-04T15:00+02:00 it failed", "2024-03-04T13:00:00", 1),
        ("2024-03-04T15:00-0530 it failed", "2024-03-04T20:30:00", 1),
        ("Meet tomorrow at 3:30 pm.", "2023-06-15T15:30:00", 1),
        ("Meet tomorrow at 12am.", "2023-06-15T00:00:00", 60),
        ("Meet at 10:30 on Friday.", "2023-06-16T10:30:00", 1),
        ("It crashed two hours ago.", "2023-06-14T13:30:00", 60),
        ("It crashed 15 minutes ago.", "2023-06-14T15:15:00", 1),
    ],
)
def test_time_of_day_makes_an_instant(text: str, start: str, minutes: float) -> None:
    when = only(text)
    assert when.granularity is Granularity.INSTANT
    assert when.start == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert when.end - when.start == timedelta(minutes=minutes)


def test_hour_without_minutes_or_half_of_the_day_is_no_time() -> None:
    assert only("Meet tomorrow at 6.").granularity is Granularity.DAY


@pytest.mark.parametrize(
    ("text", "granularity"),
    [
        ("yesterday", Granularity.DAY),
        ("last week", Granularity.WEEK),
        ("last month", Granularity.MONTH),
        ("last quarter", Granularity.MONTH),
        ("last year", Granularity.YEAR),
        ("the 90s", Granularity.YEAR),
        ("from 2019 to 2022", Granularity.YEAR),
    ],
)
def test_granularity_is_that_of_the_words(text: str, granularity: Granularity) -> None:
    assert only(text).granularity is granularity


def test_dates_come_in_order_of_appearance() -> None:
    found = find_dates("We met last year, then in May 2021 and yesterday.", TOLD)
    assert [when.start.year for when in found] == [2022, 2021, 2023]
    assert [when.span[0] for when in found] == sorted(when.span[0] for when in found)


def test_weekend_told_on_a_sunday_is_the_one_before() -> None:
    sunday = datetime(2023, 6, 18, tzinfo=UTC)
    assert spans("We biked last weekend.", sunday) == ["2023-06-10/2023-06-12"]
    assert spans("We biked this weekend.", sunday) == ["2023-06-17/2023-06-19"]


def test_earlier_this_month_on_its_first_day_is_the_month() -> None:
    assert spans("Earlier this month it rained.", datetime(2023, 6, 1, tzinfo=UTC)) == ["2023-06-01/2023-07-01"]


def test_answer_is_in_the_zone_of_the_reference() -> None:
    zone = timezone(timedelta(hours=9))
    when = only("yesterday", datetime(2023, 6, 14, 1, tzinfo=zone))
    assert when.start == datetime(2023, 6, 13, tzinfo=zone)


def test_reference_without_zone_counts_as_utc() -> None:
    assert only("yesterday", datetime(2023, 6, 14)).start == datetime(2023, 6, 13, tzinfo=UTC)  # noqa: DTZ001


def test_span_counts_code_points_even_where_lower_case_is_longer() -> None:
    text = "İİ 🎉 we met yesterday"
    assert text[slice(*only(text).span)] == "yesterday"
