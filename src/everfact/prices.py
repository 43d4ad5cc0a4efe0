"""What models cost: one table, with its date. A price set in the configuration comes before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

PRICES_OF = date(2026, 11, 18)
"""The day on which the table was last compared with the makers' lists, as the library genai-prices has them."""

# Beginning of the model's name, dollars for a million tokens sent, and for a million answered.
_TABLE = (
    ("claude-haiku-4-5", 1.0, 5.0),
    ("claude-opus-4-5", 5.0, 25.0),
    ("claude-sonnet-4", 3.0, 15.0),
    ("claude-sonnet-5", 2.0, 10.0),
    ("gemini-2.5-flash", 0.30, 2.5),
    ("gemini-2.5-flash-lite", 0.10, 0.4),
    ("gemini-2.5-pro", 1.25, 10.0),
    ("gemini-3-pro-preview", 2.0, 12.0),
    ("gpt-4.1", 2.0, 8.0),
    ("gpt-4.1-mini", 0.40, 1.6),
    ("gpt-4.1-nano", 0.10, 0.4),
    ("gpt-4o", 2.5, 10.0),
    ("gpt-4o-mini", 0.15, 0.6),
    ("gpt-5", 1.25, 10.0),
    ("gpt-5-mini", 0.25, 2.0),
    ("gpt-5-nano", 0.05, 0.4),
    ("gpt-5.2", 1.75, 14.0),
)


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens, each way."""

    sent: float
    answered: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Dollars for so many tokens."""
        return (input_tokens * self.sent + output_tokens * self.answered) / 1_000_000


FREE = Price(0.0, 0.0)


def price_of(model: str) -> Price | None:
    """The price of a model by its name, with or without `vendor/` before it and a date behind; None if unknown."""
    name = model.rpartition("/")[2].lower()
    known = [(start, Price(sent, answered)) for start, sent, answered in _TABLE if _is_called(name, start)]
    return max(known, key=lambda row: len(row[0]))[1] if known else None


def _is_called(name: str, start: str) -> bool:
    """The same name, or one with a date or "latest" behind it: another word there may be another model."""
    rest = name.removeprefix(start)
    return name.startswith(start) and (
        not rest or rest[0] == "@" or rest[1:9].replace("-", "").isdigit() or rest == "-latest"
    )
