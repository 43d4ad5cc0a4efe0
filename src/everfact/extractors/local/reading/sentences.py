"""A text as sentences with their places: code and quoted lines are left out, who speaks is read off the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from everfact.extractors.local.reading.lexicon import is_ordinary
from everfact.extractors.local.reading.words import LABELS

LONGEST = 600
"""Longer than any sentence people write: what goes on is a list, a log or a minified file, and only names are read."""

_CODE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CUT = re.compile(
    r"""(?P<stop>[.!?\u2026]+["'\u201d\u2019)\]]*)(?=\s|$)"""
    r"""|(?P<line>\n(?=[ \t]*(?:\n|[-*\u2022>|\#+]|\d+[.)][ ]|[^a-z\s(,])))|(?P<wide>[\u3002\uff01\uff1f])"""
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Mt|Ft|vs|etc|e\.g|i\.e|approx|ca|no|No|Inc|Ltd|Corp|Co|dept|Jan|Feb|Mar|Apr|"
    r"Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|[A-HJ-Z])$"
)
_STARTER = re.compile(r"\s+(?:The|I|He|She|It|We|They|You|But|And|In|This|That|My|Our|His|Her|An?)\b")
_LEAD = re.compile(r"\s*(?:[-*•+]\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+|\d+[.)]\s+)?")
_SPEAKER = re.compile(
    r"\s*(?:\*\*)?([^\W\d_][\w .'\u2019-]{0,30}?)(?:\*\*)?(?:\s*\([^()\n]{0,40}\))?\s*:(?:\*\*)?\s+(?=\S)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without the space around it; `mark` is how it ends, `speaker` who says it where the line tells."""

    text: str
    start: int
    speaker: str = ""

    @property
    def is_question(self) -> bool:
        """Whether it asks."""
        return self.text.rstrip("\"'”\u2019)] ").endswith("?")


def speakers_in(content: str) -> frozenset[str]:
    """Who speaks, where every line of several begins with a name and a colon; one such line may be a label."""
    lines = [line for line in content.splitlines() if line.strip()]
    named = [_SPEAKER.match(line) for line in lines]
    names = [match[1] for match in named if match is not None]
    is_talk = len(lines) > 1 and len(names) == len(lines) and all(_is_speaker(name) for name in names)
    return frozenset(name.casefold() for name in names) if is_talk else frozenset()


def _is_speaker(name: str) -> bool:
    parts = name.split()
    is_word = len(parts) == 1 and is_ordinary(name.lower())
    return len(parts) < 4 and all(part[0].isupper() for part in parts) and name.lower() not in LABELS and not is_word


def split(content: str, *, speakers: frozenset[str] = frozenset()) -> Iterator[Sentence]:
    """The sentences of a text in order. `speakers` are names (casefolded) that a line may begin with."""
    blank = (
        _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), content)
        if "```" in content or "~~~" in content
        else content
    )
    speaker = ""
    for start, end in _ranges(blank):
        line = blank[start:end]
        at_line_start = start == 0 or "\n" in blank[max(0, start - 1) : start + len(line) - len(line.lstrip())]
        if at_line_start and line.lstrip().startswith((">", "|")):
            continue
        lead = _LEAD.match(line)
        begin = start + (lead.end() if lead else 0)
        named = _SPEAKER.match(blank, begin, end) if at_line_start and speakers else None
        if named is not None and named[1].casefold() in speakers and named[1].casefold() not in LABELS:
            speaker, begin = named[1], named.end()
        text = blank[begin:end].rstrip()
        if text:
            yield Sentence(text, begin, speaker)


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _CUT.finditer(text):
        if match.lastgroup == "stop" and not _is_end(text, match):
            continue
        if match.end() > start:
            yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _is_end(text: str, match: re.Match[str]) -> bool:
    """A single dot after an abbreviation or an initial ends nothing, unless a new sentence plainly begins."""
    if match[0] != ".":
        return True
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    if len(line) < 8 and line.strip().isdigit():
        return False
    before = _ABBREVIATION.search(text[max(0, match.start() - 12) : match.start()])
    return before is None or (len(before[0].strip()) > 2 and _STARTER.match(text, match.end()) is not None)
