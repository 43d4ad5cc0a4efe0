from __future__ import annotations

import math

import pytest

from everfact.embedders import static
from everfact.embedders.static import StaticEmbedder
from everfact.errors import ModelUnavailable


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_texts_of_like_meaning_point_the_same_way() -> None:
    embedder = StaticEmbedder()
    near, far, question = map(
        list, await embedder.embed(["The cat sleeps on the sofa", "Invoices are due on Friday", "a kitten is napping"])
    )
    assert cosine(question, near) > cosine(question, far) + 0.1
    assert math.isclose(math.hypot(*near), 1.0, rel_tol=1e-5)
    assert len(near) == embedder.dimension


async def test_empty_and_huge_texts_get_finite_vectors() -> None:
    empty, huge = await StaticEmbedder().embed(["", "word " * 100_000])
    assert set(empty) == {0.0}
    assert all(math.isfinite(value) for value in huge)


async def test_missing_package_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match="wordllama"):
        await StaticEmbedder().embed(["x"])
