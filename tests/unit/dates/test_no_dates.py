"""What looks like a date and is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everfact.dates import find_dates

TOLD = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We like it.",
        "You may say so.",
        "5 may be enough, 7 may not.",
        "it may 5 times fail",
        "The troops march at dawn; march on!",
        "June and April are my sisters.",
        "Jan said hello.",
        "She sat in the sun.",
        "Wait a second.",
        "He came in second.",
        "They wed in Rome, and mon ami cried.",
        "The august body met.",
        "Prices fall, and it is easy to fall asleep.",
        "We built it with Spring Boot.",
        "The spring broke.",
        "It takes 15 minutes.",
        "He stayed for three years.",
        "It ran for 20 days.",
        "The warranty should last 5 years.",
        "It was done in two weeks.",
        "Twice in a year.",
        "Use Python 3.12 or 2.9.",
        "Upgrade to v2024.1 and 1.2.3.",
        "The server listens on port 2019.",
        "Error 2004 came back.",
        "Ticket #2021 is open.",
        "It costs $2019 or 1,999 euros.",
        "Yesterdays news",
        "I play Cyberpunk 2077 and Wonder Woman 1984.",
        "Loaded in 2000 rows of 1999 users.",
        "About 2000 people came, by 2000 users each.",
        "Open 24/7, a 50/50 chance, rated 9/10.",
        "Call 555-01-2024.",
        "The id is 99999999 or 20241399.",
        "On 31/31/2024 nothing happens.",
        "It is 2024-13-45 o'clock.",
        "We play every Friday and each June, and ski every December.",
        "The last two hours were hard.",
        "We play on Fridays, and Sunday mornings are quiet.",
        "I like weekends.",
        "The 5th element, on the 5th floor, by the 3rd try.",
        "One day we will see, some day soon.",
        "Last time and next time, at last.",
        "The next day of the tour",
        "Since we last spoke, much has happened.",
        "It's been a few days since we talked.",
        "Merry Christmas! Happy Halloween!",
        "We have a Christmas tree.",
        "A thirty year old woman",
        "He is in his 20s.",
        "<h1>Title</h1> and q1 = 5",
        "Q7 has no meaning, nor has 2024-W60.",
        "The 6th century BCE was long ago.",
        "Partner of the year",
        "The winter months are dark.",
        "Feb 30 and 0th June",
        "In this day and age",
        "to this day",
        "Once upon a time, the past was long.",
        "Tomorrowland and Sundance",
        "Le mars est loin; mai",
    ],
)
def test_text_without_a_date_gives_none(text: str) -> None:
    assert find_dates(text, TOLD) == []


@pytest.mark.parametrize(
    "text",
    [
        "999 years ago and 999 decades ago",
        "999 decades before 2019",
        "2019 to date",
        "the last 0 days",
        "2150 - present",
        "from 2022 to 2019, then to 2150-05-01 to 1990",
    ],
)
def test_time_beyond_the_calendar_does_no_harm(text: str) -> None:
    for told in (datetime.min, datetime(2023, 6, 14), datetime.max):  # noqa: DTZ001, DTZ901
        assert all(when.start < when.end for when in find_dates(text, told))
