"""`MiniLMEmbedder`: sentence vectors that know word order, computed on this machine, without torch.

The default embedder's vector is put beside the sentence's, each with half the weight: it knows all words of a long
text, and the rare ones, where the sentence model has read only the beginning. Together they are better than either.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everfact.embedders.minilm.install import is_installed
from everfact.embedders.static import StaticEmbedder
from everfact.errors import ModelUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from everfact.models import Vector

_MOST_WORDS = 256
"""As long as the texts that the model was trained on; longer ones count with their beginning."""
_AT_ONCE = 32
_HALF = 0.5**0.5
"""What both parts of a vector are multiplied by, so that each has half a say in a cosine."""


class MiniLMEmbedder:
    """The model that `everfact models install minilm` built in a folder."""

    model = f"all-minilm-l6-v2-int8+{StaticEmbedder.model}"
    dimension = 384 + StaticEmbedder.dimension

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads
        self._static = StaticEmbedder()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector a text.

        Raises:
            ModelUnavailable: the model is not there, or damaged.
        """
        read, known = await asyncio.to_thread(self._embed, list(texts)), await self._static.embed(texts)
        return [array("f", (_HALF * value for value in (*one, *other))) for one, other in zip(read, known, strict=True)]

    def _embed(self, texts: list[str]) -> list[Vector]:
        # Texts of one length together: the longest decides how long computing takes.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors: list[Vector] = [array("f")] * len(texts)
        for start in range(0, len(order), _AT_ONCE):
            places = order[start : start + _AT_ONCE]
            for place, vector in zip(places, self._compute([texts[place] for place in places]), strict=True):
                vectors[place] = vector
        return vectors

    def _compute(self, texts: list[str]) -> list[Vector]:
        import numpy as np

        tokenizer, session = self._parts
        encoded = tokenizer.encode_batch(texts)
        ids, mask = (
            np.array([getattr(one, name) for one in encoded], dtype=np.int64) for name in ("ids", "attention_mask")
        )
        (found,) = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        return [array("f", row.tobytes()) for row in found.astype(np.float32)]

    @cached_property
    def _parts(self) -> tuple[Tokenizer, Any]:
        if not is_installed(self._folder):
            raise ModelUnavailable(
                f"the model is not in {self._folder}, or damaged", hint="everfact models install minilm"
            )
        import onnxruntime  # type: ignore[import-untyped] # it has no types
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(_MOST_WORDS)
        tokenizer.enable_padding()
        session = onnxruntime.InferenceSession(
            str(self._folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        return tokenizer, session
