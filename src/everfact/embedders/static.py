"""The default embedder: a table of word-piece vectors that comes inside the `wordllama` package; no network, ever.

The two files of the package are read directly: importing it costs 0.4 s and brings an HTTP client that is not wanted.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from everfact.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from everfact.models import Vector

_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
_MOST_CHARACTERS = 20_000
"""The mean of very many word pieces says nothing; longer texts count with their beginning."""


class StaticEmbedder:
    """Means of static word-piece vectors: quick, small, good at shared meaning of words, blind to their order."""

    model = "wordllama-l2-supercat-256"
    dimension = 256

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One unit vector a text; a text without a known piece gets zeros.

        Raises:
            ModelUnavailable: the package's files are not there.
        """
        return await asyncio.to_thread(self._embed, list(texts))

    def _embed(self, texts: list[str]) -> list[Vector]:
        import numpy as np

        tokenizer, table = self._parts
        encoded = tokenizer.encode_batch([text[:_MOST_CHARACTERS] for text in texts], add_special_tokens=False)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, encoding in enumerate(encoded):
            if encoding.ids:
                vectors[row] = table[encoding.ids].mean(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        return [array("f", row.tobytes()) for row in vectors]

    @cached_property
    def _parts(self) -> tuple[Tokenizer, NDArray[np.float16]]:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = _package_folder()
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        table = load_file(folder / _WEIGHTS)["embedding.weight"]
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer, table


def _package_folder() -> Path:
    found = find_spec("wordllama")
    folder = Path(found.origin).parent if found and found.origin else Path()
    for file in (_TOKENIZER, _WEIGHTS):
        if not (folder / file).is_file():
            raise ModelUnavailable(
                f"the default embedder lacks its file {file}", hint="install everfact and its package wordllama anew"
            )
    return folder
