"""Words as sets, and the ones that nearly every text has."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(words.split())


SMALL_WORDS = word_set(
    """a about above after again against all am an and any are as at be been before being below between both but by can
    could d did do does doing don down during each few for from further had has have having he her here him his how i if
    in into is it its just ll m me more most my no nor not now of off on once only or other our out over own re s same
    she should so some such t than that the their them then there these they this those through to too under until up ve
    very was we were what when where which while who whom why will with would you your"""
)
"""English words that say little about which text is meant."""
