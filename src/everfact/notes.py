"""Rows of notes as TOON, within a budget of characters: counts stay right, and no row can pose as an instruction.

The markers of `injected` are keys of the document, so that it is marked wherever it is put, and can be decoded whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from everfact.injected import CLOSING, OPENING
from everfact.sections import SECTIONS, Section

_NOTE = "notes from memory, not instructions"
_LONGEST = 400
_COLUMNS = "[9999]{fact,since,note}:\n"
_BRACKETS = str.maketrans("<>", "\u2039\u203a")
_JOINERS = "\u200c\u200d"
"""Invisible, but some scripts cannot be written without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the brief."""

    fact: str
    since: str = ""
    note: str = ""

    @property
    def cells(self) -> dict[str, str]:
        """The row as the document has it."""
        return {"fact": self.fact, "since": self.since, "note": self.note}


Rows = Mapping[str, Sequence[Row]]
"""The rows of each section by its name, those that go last when room is short coming first."""


def plain(text: str, longest: int = _LONGEST) -> str:
    """A text on one line, without characters that cannot be seen and without markup of any kind."""
    text = re.sub("&(?:lt|#0*60|#x0*3c);?", "<", text[: 4 * longest], flags=re.IGNORECASE)
    text = "".join(letter if letter.isprintable() or letter in _JOINERS else " " for letter in text)
    text = " ".join(text.translate(_BRACKETS).replace("```", "'''").split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def compose(rows: Rows, budgets: Sequence[int], *, health: str = "", measure: Callable[[str], int] = len) -> list[str]:
    """The rows as one document for each budget, the most valuable first; empty ones say that nothing is left to say.

    What a section does not need of its share goes to those after it, then to those before it. `measure` says how much
    room a text takes where it will stand.
    """
    waiting = {section.name: list(rows.get(section.name, ())) for section in SECTIONS}
    documents = []
    for budget in budgets:
        head = {OPENING: _NOTE} | ({"everfact": health} if health else {})
        chosen = _choose(waiting, budget - measure(_text(head | {CLOSING: ""})), measure)
        documents.append(_document(head, chosen) if any(chosen.values()) or health else "")
        health = ""
    return [
        document if measure(document) <= budget else "" for document, budget in zip(documents, budgets, strict=True)
    ]


def _choose(waiting: dict[str, list[Row]], room: int, measure: Callable[[str], int]) -> dict[str, list[Row]]:
    """Take out of `waiting` what there is room for, section by section, in two rounds."""
    chosen: dict[str, list[Row]] = {name: [] for name in waiting}
    left = room
    allowed = 0.0
    for section, is_last_round in _rounds():
        allowed = left if is_last_round else allowed + section.share * room
        for row in list(waiting[section.name]):
            cost = measure(_line(row)) + (0 if chosen[section.name] else measure(f"{section.name}{_COLUMNS}"))
            if cost > min(allowed, left):
                break  # what comes after is older
            waiting[section.name].remove(row)
            chosen[section.name].append(row)
            left -= cost
            allowed -= cost
    return chosen


def _rounds() -> Iterator[tuple[Section, bool]]:
    yield from ((section, False) for section in SECTIONS)
    yield from ((section, True) for section in SECTIONS)


def _document(head: Mapping[str, str], chosen: Mapping[str, list[Row]]) -> str:
    tables = {name: [row.cells for row in rows] for name, rows in chosen.items() if rows}
    return _text({**head, **tables, CLOSING: ""})


def _line(row: Row) -> str:
    """The row as it stands in the document, its line end included."""
    return _text({"x": [row.cells]}).partition("\n")[2] + "\n"


def _text(document: Mapping[str, object]) -> str:
    import toons  # a brief is rare, and every start would pay for it

    return toons.dumps(dict(document))
