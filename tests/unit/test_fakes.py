from __future__ import annotations

import math

from everfact.models import Extraction, Pair, Verdict
from everfact.testing.builders import assertion, entity, episode
from everfact.testing.fakes import FixedExtractor, HashingEmbedder


async def test_hashing_embedder_gives_unit_vectors_that_share_direction_with_shared_words() -> None:
    embedder = HashingEmbedder()
    near, far, question = await embedder.embed(["Red fox, jumping", "blue whale", "red FOX"])

    def dot(vector: list[float]) -> float:
        return sum(a * b for a, b in zip(question, vector, strict=True))

    assert len(near) == embedder.dimension
    assert math.isclose(math.hypot(*near), 1.0, rel_tol=1e-6)
    assert dot(list(near)) > dot(list(far))
    assert set(embedder.vector("")) == {0.0}


async def test_fixed_extractor_answers_what_it_was_given() -> None:
    known = Extraction(extractor="fixed", degraded=True)
    extractor = FixedExtractor({"told": known}, Verdict.REPLACES)
    assert await extractor.extract(episode("told"), []) == known
    assert await extractor.extract(episode("other"), []) == Extraction(extractor="fixed")
    said = assertion(entity(), None)
    assert (await extractor.judge([Pair(older=said, newer=said)] * 2)).verdicts == (Verdict.REPLACES,) * 2
