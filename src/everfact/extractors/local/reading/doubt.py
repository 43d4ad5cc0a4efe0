"""Words of doubt, condition, wish and hearsay: a sentence that holds them says nothing about the world."""

from __future__ import annotations

import re

from everfact.words import word_set

_DOUBTS = word_set(
    "if unless suppose supposing imagine imagining pretend pretending wish wishes wished whether maybe perhaps "
    "probably possibly presumably hopefully apparently allegedly supposedly reportedly rumour rumours rumor rumors "
    "rumoured rumored unverified unconfirmed hypothetically practically basically virtually figuratively seem seems "
    "seemed joke jokes joking kidding jk lol haha likely unlikely tempted theoretically unsure guess almost nearly "
    "considering debating wondering wonder undecided so-called false untrue sarcasm ironically fantasise fantasize "
    "e.g neither"
)
_DOUBT = re.compile(
    r"\b(?:as though|dream(?:ed|t|s|ing)? (?:that|of|about|i)|appears? to|must not override|not authoritative|"
    r"according to|not sure|thinking (?:of|about)|toying with|for example|as good as|not true|made up|the case that|"
    r"(?:says?|said|claims?|claimed|wrote|writes|tells?|told|heard|insists?|insisted|swears?|swore|thinks?|thought|believes?|"
    r"believed|posted|argues?|argued|denies|denied|suspects?|mentioned|suggests?|suggested|promised)(?: \w+)? that|"
    # Hearsay without "that": a name where the verb's own clause begins.
    r"(?:says?|said|claims?|claimed|thinks?|thought|believes?|believed|heard|insists?|swears?|reckons?) "
    r"(?-i:[A-Z])\w+)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^\W*(?:(?:just )?in case|(?:let's )?say,? (?:we|i|you|they|he|she|the|that))\b|\bwere \w+ to\b", re.I
)
_PHRASED = word_set(
    "case were though dream dreamed dreamt dreams dreaming appear appears override authoritative according sure "
    "thinking toying example good true made that say says said claim claims claimed think thinks thought believe "
    "believes believed heard insist insists swear swears reckon reckons"
)  # fmt: skip


def is_doubtful(text: str, spoken: set[str]) -> bool:
    """Whether words of doubt, condition, wish or hearsay stand anywhere in the sentence."""
    return not spoken.isdisjoint(_DOUBTS) or (
        not spoken.isdisjoint(_PHRASED) and (_DOUBT.search(text) is not None or _SUPPOSED.search(text) is not None)
    )
