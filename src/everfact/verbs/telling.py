"""Telling with tags: the words a person finds it by."""

from __future__ import annotations

from collections.abc import Iterable

from everfact.models import JSON


def tagged(given: Iterable[str]) -> dict[str, JSON]:
    """An episode's attributes with these tags, one or several in each text with commas between; none without any."""
    tags: list[JSON] = [tag.strip() for text in given for tag in text.split(",") if tag.strip()]
    return {"tags": tags} if tags else {}
