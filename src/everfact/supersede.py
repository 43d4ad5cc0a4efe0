"""Which of two statements that a question is about is the newer one: a link drawn from the question, at asking time.

People restate a value and seldom say that it changed, so nothing here may hide anything: two statements of the same
asked-for value only change places, the newer one going right above the older. Two moves at most, the surest first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from everfact.models import Episode, Value, ValueType
from everfact.values import find_values
from everfact.words import SMALL_WORDS, word_set

_FIRST = 10
"""How many of the best are looked at: what changes place is nearly always among them."""
_MOVES = 2
_CLOSE = 5
"""Words between a value and the head word it belongs to."""
_HEAVIEST = 6.0

_ASKS_PAST = re.compile(
    r"\b(?:previous(?:ly)?|before i|formerly|initially|originally|used to|at first|earlier|old"
    r"|did i (?:say|mention|tell))\b",
    re.IGNORECASE,
)
_NEEDS_SEVERAL = re.compile(
    r"\bbetween\b.+\band\b|\bcompare|\bdifference\b|\bin total\b|\baltogether\b|\bpassed\b|\bacross\b|\border\b"
    r"|\bmore\b.+\bthan\b|\bhow (?:much|many) more\b|\bleft\b|\bcombined\b|\band how many\b"
    r"|\bhow many (?:day|week|month|year)s? (?:before|after|ago|did it|do i have)\b",
    re.IGNORECASE,
)
_NUMBER = (ValueType.COUNT,)
_ASKED: tuple[tuple[re.Pattern[str], tuple[ValueType, ...]], ...] = tuple(
    (re.compile(pattern), types)
    for pattern, types in (
        (r"\bhow often\b", (ValueType.FREQUENCY, ValueType.WEEKDAY, *_NUMBER)),
        (r"\bhow long\b", (ValueType.DURATION,)),
        (r"\bwhat time\b", (ValueType.TIME, ValueType.DURATION)),
        (r"\b(?:what|which) day\b", (ValueType.WEEKDAY, ValueType.DATE)),
        (r"^when\b|\bdeadline\b|\bdate\b", (ValueType.DATE, ValueType.TIME, ValueType.WEEKDAY)),
        (
            r"\bhow many (?:day|hour|minute|week|month)s\b",
            (ValueType.DURATION, ValueType.FREQUENCY, *_NUMBER, ValueType.DATE),
        ),
        (r"\bpercent|%|\bcoverage\b|\baccuracy\b|\brate\b", (ValueType.PERCENT, *_NUMBER)),
        (
            r"\bhow much\b|\bbudget\b|\bamount\b|\bcosts?\b|\bprice\b|\bsalary\b|\bfees?\b|\bearn|\bspend|\bspent\b",
            (ValueType.MONEY, *_NUMBER, ValueType.PERCENT),
        ),
        (r"\bresponse time\b|\blatency\b", (ValueType.DURATION, *_NUMBER)),
        (r"\bhow many\b|\bnumber of\b|\bscore\b|\bquota\b|\bcount\b|\bratio\b", _NUMBER),
        (r"\bversion\b", (ValueType.VERSION, *_NUMBER)),
    )
)
_CUE = re.compile(
    r"\b(?:now|just|recently|currently|so far|already|updat\w*|increas\w*|extend\w*|reschedul\w*|mov(?:ed|ing)"
    r"|switch\w*|chang\w*|improv\w*|reached|adjust\w*|rais\w*|reduc\w*|decreas\w*|postpon\w*|upgrad\w*|down to|up to"
    r"|actually|new|latest|brings my|total of|again|back to)\b",
    re.IGNORECASE,
)
_IDLE = SMALL_WORDS | word_set(
    "many much often long time current currently recent recently latest far total number different type kind get go "
    "since"
)
_NO_HEAD = word_set("amount number type kind brand name total rate percentage level date")
_VERB = "do|does|did|have|has|had|am|is|are|was|were|will|can|would"
_HEADS = (
    re.compile(rf"\bhow (?:many|much) ([\w' -]+?)(?: (?:{_VERB})\b|\?|$)"),
    re.compile(
        r"\bwh(?:at|en)(?: is| are| was| were|'s) (?:my|the|our|his|her|their) ([\w' -]+?)"
        r"(?: (?:of|for|in|on|at|to|from|with)\b|\?|$)"
    ),
    re.compile(rf"\b(?:what|which) ([\w' -]+?)(?: (?:{_VERB})\b|\?|$)"),
)
_CODE = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_SPOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_ORDINAL = re.compile(r"\b(?:(\d+)(?:rd|th)|(third|fourth|fifth|sixth|seventh|eighth|ninth|tenth))\b", re.ASCII)
_PLACES = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LONGEST = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the question wants: the types of value, its head words, its telling words and how rare each is."""

    types: tuple[ValueType, ...]
    heads: frozenset[str]
    weight: dict[str, float]

    @property
    def total(self) -> float:
        return math.fsum(self.weight.values()) or 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What one turn says to it: the sentence that answers, its value, and what it shares with the question."""

    stems: frozenset[str]
    sentence: str
    value: Value | None
    near: bool
    values: tuple[str, ...]


def reorder(question: str, turns: Sequence[Episode]) -> list[Episode]:
    """The same turns, best first, a newer statement of what is asked right above an older one."""
    lower = question.lower()
    types = next((types for pattern, types in _ASKED if pattern.search(lower)), ())
    if not types or _ASKS_PAST.search(question) or _NEEDS_SEVERAL.search(question):
        return list(turns)
    first = list(turns[:_FIRST])
    asked = _read(lower, types, turns)
    told = [_answer(asked, turn) for turn in first]
    links = sorted(
        (
            (score, newer, older)
            for older in range(len(first))
            for newer in range(older + 1, len(first))
            if _is_newer(first[newer], first[older])
            and (score := _link(asked, (told[older], told[newer]), older + newer)) > 0
        ),
        reverse=True,
    )
    order = list(range(len(first)))
    for _, newer, older in links[:_MOVES]:
        order.remove(newer)
        order.insert(order.index(older), newer)
    return [first[place] for place in order] + list(turns[_FIRST:])


def _is_newer(one: Episode, other: Episode) -> bool:
    if one.speaker != other.speaker or one.role != other.role:
        return False
    return (one.reference_time, one.position) > (other.reference_time, other.position)


def _read(lower: str, types: tuple[ValueType, ...], turns: Sequence[Episode]) -> _Asked:
    terms = list(dict.fromkeys(stem(w) for w in _WORD.findall(lower) if w not in _IDLE))
    texts = [turn.content.lower() for turn in turns]
    weight = {}
    for term in terms:
        n = sum(term in text for text in texts)
        weight[term] = min(_HEAVIEST, math.log((len(texts) - n + 0.5) / (n + 0.5) + 1))
    return _Asked(types=types, heads=_heads(lower, terms), weight=weight)


def _heads(lower: str, terms: list[str]) -> frozenset[str]:
    """The words that name what is asked for: "lessons" in "how many lessons did I take?"."""
    for pattern in _HEADS:
        match = pattern.search(lower)
        words = [w for w in _WORD.findall(match[1]) if w not in _IDLE and w not in _NO_HEAD] if match else []
        if words:
            return frozenset(stem(word) for word in words[-2:])
    return frozenset(terms[:2])


def _answer(asked: _Asked, turn: Episode) -> _Told:
    """What the sentence that answers best says."""
    text = _CODE.sub(" ", turn.content[:_LONGEST])
    stems = _stems(text)
    answers = []
    for sentence in _SENTENCE.split(text):
        words = {stem(word) for word in _WORD.findall(sentence.lower())}
        covered = math.fsum(asked.weight[w] for w in words & asked.weight.keys()) / asked.total
        values = _values(sentence, asked.types)
        value, near = _nearest(sentence, values, asked.heads)
        score = covered + 0.5 * bool(values) + 0.3 * near
        normal = tuple(_normal(v) for _, v in values)
        answers.append((score, _Told(stems=stems, sentence=sentence, value=value, near=near, values=normal)))
    return max(answers, key=lambda answer: answer[0])[1]


def _values(sentence: str, types: tuple[ValueType, ...]) -> list[tuple[int, Value]]:
    """The values of the first of these types that the sentence has, and where each stands."""
    spoken = set(_SPOKEN.findall(sentence.lower()))
    found = [(span.start, span.value) for span in find_values(sentence, spoken) if span.value.type in types]
    found = [(at, value) for at, value in found if not _YEAR.fullmatch(value.text)]
    if ValueType.COUNT in types:  # whoever ends the fifth has done five
        found += [(match.start(), _counted(match)) for match in _ORDINAL.finditer(sentence.lower())]
    first = min((types.index(value.type) for _, value in found), default=0)
    return [(at, value) for at, value in found if value.type is types[first]]


def _counted(ordinal: re.Match[str]) -> Value:
    number = float(ordinal[1]) if ordinal[1] else 3.0 + _PLACES.index(ordinal[2])
    return Value(type=ValueType.COUNT, text=ordinal[0], number=number)


def _nearest(sentence: str, values: list[tuple[int, Value]], heads: frozenset[str]) -> tuple[Value | None, bool]:
    """The value that stands nearest to a head word, and whether it is close to it."""
    if not values:
        return None, False
    places = [match.start() for match in _WORD.finditer(sentence.lower()) if stem(match[0]) in heads]
    if not places:
        return values[0][1], False

    def words_between(one: int, other: int) -> int:
        return len(_WORD.findall(sentence[min(one, other) : max(one, other)]))

    distance, value = min(
        ((min(words_between(at, place) for place in places), value) for at, value in values), key=lambda pair: pair[0]
    )
    return value, distance <= _CLOSE


def _link(asked: _Asked, pair: tuple[_Told, _Told], ranks: int) -> float:
    """How sure it is that the newer of the two restates what the older says, with another value; above 0 it is."""
    older, newer = pair
    if older.value is None or newer.value is None or older.value.type is not newer.value.type:
        return 0.0
    if _normal(newer.value) in older.values:
        return 0.0  # a restatement
    both, either = older.stems & newer.stems, older.stems | newer.stems
    weigh = asked.weight.get
    shared = math.fsum(weigh(w, 0.0) for w in both) / (math.fsum(weigh(w, 0.0) for w in either) or 1.0)
    covered = min(math.fsum(weigh(w, 0.0) for w in one.stems) for one in pair) / asked.total
    focus = min(len(one.stems & asked.heads) for one in pair) / (len(asked.heads) or 1)
    closeness = 0.5 * older.near + 0.5 * newer.near
    cue = 0.75 * bool(_CUE.search(newer.sentence))
    return closeness + focus + shared + covered + cue - 0.25 * ranks - 2.4


def _normal(value: Value) -> str:
    if value.number is not None:
        return f"{value.number:g} {value.unit}"
    return " ".join(stem(word) for word in _WORD.findall(value.text.lower()))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in SMALL_WORDS)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its commonest endings: enough to see that "lessons" and "lesson" are one."""
    for ending, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + rest
    return word
