"""Whether a text says of itself that it is not to be relied on, or that it is about somebody else's affairs.

Only words about the telling count ("an unverified note", "it must not override"), not the same words about the world
("my account is unverified", "she comes from another team").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from everfact.extractors.local.reading.sentences import LONGEST
from everfact.models import Extraction, Statement, Trust
from everfact.words import word_set

_SHORT = 60
"""Words: in a longer text a doubt goes for its own sentence, unless the text begins with it."""

_TELLING = (
    "(?:notes?|messages?|memos?|claims?|reports?|rumou?rs?|sources?|information|info|statements?|feedback|entry|entries"
    "|records?|results?|mentions?|comments?|documents?|docs?|tips?|alternatives?|figures?|details?|story|stories"
    "|instructions?|suggestions?|values?|data|content|context|memory|memories|items?|references?|guess(?:es)?)"
)
_IT = rf"\b(?:it|this|that|these|those|they|which|{_TELLING})"
_THIS = "(?:it|this|that|these|those)"
_IS = "(?:is|are|was|were|'s|remains?)(?: still| yet| only| just)?"
_IS_NOT = "(?:(?:is|are|was|were|has|have)(?: not|n't)|has yet to be)(?: yet| been| independently| an?| the)*"
_NOT_TO = "(?:do not|don't|never)"
_UNPROVEN = "(?:unverified|unconfirmed|unsubstantiated|uncorroborated|non-?authoritative|hearsay)"
_PROVEN = "(?:verified|confirmed|corroborated|authoritative|official|reliable|trustworthy|to be (?:trusted|relied on))"
_OTHER = r"(?:another|an? (?:different|separate|similar|unrelated)|some(?:one|body) else's)(?: [\w-]+)??"
_SPACE = r"(?:projects?|workspaces?|tenants?|accounts?|repos?|repository|environments?|threads?|sessions?)\b"
_PLACE = rf"(?:{_SPACE}|(?:customers?|clients?|teams?|company|cases?|tickets?|users?|patients?|students?|products?)\b)"


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Patterns of one kind of doubt; one of the hints is in all that they find, and takes no time to look for."""

    trust: Trust
    hints: frozenset[str]
    pattern: re.Pattern[str]


_DOUBTS = (
    _Doubt(
        Trust.UNVERIFIED,
        word_set(
            "verif confirm substantiat corrobor authoritative hearsay rumo overr overwrit supersede outrank precedence "
            "trust rely relied reliable official salt granted"
        ),
        re.compile(
            rf"\b{_UNPROVEN}(?: [\w-]+)?(?: [\w-]+)? {_TELLING}\b"
            r"|(?:^|[(\[] ?)(?:unverified|unconfirmed|hearsay|rumou?r) ?[:)\]-]"
            rf"|{_IT} ?{_IS} (?:an? |the )?(?:{_UNPROVEN}|rumou?r)\b"
            rf"|{_IT} {_IS_NOT} {_PROVEN}\b"
            rf"|{_IT} (?:must|should|may|can|will|shall|does|do)(?: not|not|n't)"
            r" (?:override|overrule|overwrite|supersede|outrank|take precedence)\b"
            rf"|\b{_NOT_TO} (?:trust|rely (?:up)?on|act on) {_THIS}\b"
            rf"|\b{_NOT_TO} (?:treat|take|regard) {_THIS}(?: {_TELLING})? (?:as|for)"
            r" (?:authoritative|official|confirmed|verified|granted)\b"
            rf"|\btake {_THIS} with a (?:grain|pinch) of salt"
            rf"|\btreat {_THIS} as (?:a )?(?:rumou?r|hearsay|unverified|unconfirmed)\b"
            r"|\b(?:i|we) (?:can't|cannot|could(?: not|n't)|have(?: not|n't))(?: yet| been able to)*"
            rf" (?:verify|verified|confirm|confirmed) {_THIS}\b"
        ),
    ),
    _Doubt(
        Trust.OUT_OF_SCOPE,
        word_set("another different separate similar unrelated else's scope apply belong relate"),
        re.compile(
            rf"\b{_TELLING}(?: taken| copied)? (?:from|about|for) {_OTHER} {_SPACE}"
            rf"|{_IT} (?:{_IS} (?:meant )?(?:from|about|for)|comes? from|came from|(?:belong|refer|relate)s? to"
            rf"|concerns?|appl(?:y|ies)(?: only)? to) {_OTHER} {_PLACE}"
            rf"|{_IT} (?:does|do|did)(?: not|n't) (?:apply|belong|relate)"
            rf" (?:here|to (?:this|our|the current|your|us)(?: {_PLACE})?)"
            rf"|\bth(?:is|at) (?:{_TELLING} )?is out of scope for (?:this|our|the current) {_PLACE}"
        ),
    ),
)
_END = re.compile(r"[.!?](?=\s)|\n")


def with_trust(extraction: Extraction, content: str) -> Extraction:
    """The extraction with how far its text may be relied on, as a whole or in single statements."""
    doubts = _doubts(content)
    if not doubts:
        return extraction
    start, _, trust = doubts[0]
    if start == 0 or len(content.split()) <= _SHORT:
        return replace(extraction, trust=trust)
    return replace(extraction, statements=tuple(_judged(said, doubts) for said in extraction.statements))


def _doubts(content: str) -> list[tuple[int, int, Trust]]:
    """The sentences that voice a doubt: where each begins and ends, and which doubt."""
    hinted = [doubt for doubt in _DOUBTS if _is_hinted(content.lower(), doubt)]
    found: list[tuple[int, int, Trust]] = []
    start = 0
    while hinted and start < len(content):
        end = _END.search(content, start)
        stop = len(content) if end is None else end.end()
        # Typographic quotes and dashes as plain ones, white space as single blanks.
        sentence = content[start : min(stop, start + LONGEST)].lower().replace("\u2019", "'").replace("\u2014", "-")
        sentence = " ".join(sentence.split())
        for doubt in hinted:
            if _is_hinted(sentence, doubt) and doubt.pattern.search(sentence) is not None:
                found.append((start, stop, doubt.trust))
        start = stop
    return found


def _is_hinted(text: str, doubt: _Doubt) -> bool:
    return any(hint in text for hint in doubt.hints)


def _judged(said: Statement, doubts: list[tuple[int, int, Trust]]) -> Statement:
    """A statement with the doubt of the sentence it is taken from."""
    if said.span is None:
        return said
    begin, end = said.span
    return next((replace(said, trust=trust) for start, stop, trust in doubts if begin < stop and start < end), said)
