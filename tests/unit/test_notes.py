"""Rows within a budget: which go first, which stay."""

from __future__ import annotations

import toons

from everfact.notes import Row, compose


def rows(section: str, count: int, width: int = 40) -> dict[str, list[Row]]:
    """The newest first."""
    return {section: [Row(fact=f"{section} {n:03} ".ljust(width, "x"), since="2026-01-01") for n in range(count)]}


def shown(document: str) -> dict[str, int]:
    return {name: len(table) for name, table in toons.loads(document).items() if isinstance(table, list)}


def test_the_oldest_of_a_section_go_first() -> None:
    document = compose(rows("decisions", 50), [1_500])[0]
    kept = [row["fact"][:13] for row in toons.loads(document)["decisions"]]
    assert 10 < len(kept) < 50
    assert kept == [f"decisions {n:03}" for n in range(len(kept))]


def test_each_section_has_its_share_and_what_is_left_goes_round() -> None:
    full = {
        k: v
        for name in ("decisions", "preferences", "procedures", "gotchas", "recent_work")
        for k, v in rows(name, 99).items()
    }
    counts = shown(compose(full, [6_000])[0])
    assert list(counts) == list(full)
    assert counts["decisions"] > 2 * counts["preferences"] > 0
    alone = shown(compose(rows("recent_work", 99), [6_000])[0])["recent_work"]
    assert alone > 0.9 * sum(counts.values())


def test_parts_hold_different_rows_the_most_valuable_first() -> None:
    first, second, third = compose(rows("decisions", 60) | rows("recent_work", 3), [1_500, 1_500, 0])
    one, two = ({row["fact"] for row in toons.loads(part)["decisions"]} for part in (first, second))
    assert one.isdisjoint(two)
    assert min(two) > max(one)
    assert third == ""


def test_trouble_is_told_even_where_nothing_else_is() -> None:
    assert toons.loads(compose({}, [500], health="the disk is full")[0])["everfact"] == "the disk is full"
    assert compose({}, [500]) == [""]
    assert compose({}, [20], health="the disk is full") == [""]
    first, second = compose(rows("gotchas", 40), [900, 900], health="the disk is full")
    assert "the disk is full" in first
    assert "the disk is full" not in second
