"""`FastEmbedEmbedder`: any model of the library `fastembed` (extra `everfact[fastembed]`), which fetches it itself."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from everfact.errors import ConfigError, ModelUnavailable

if TYPE_CHECKING:
    from everfact.models import Vector


class FastEmbedEmbedder:
    """A model by the name that the library has for it, such as `BAAI/bge-small-en-v1.5`."""

    def __init__(self, name: str) -> None:
        self.model = f"fastembed:{name}"
        self._name = name

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text.

        Raises:
            ConfigError: the library is not installed, or has no such model.
            ModelUnavailable: the model cannot be fetched.
        """
        return await asyncio.to_thread(lambda: [array("f", vector) for vector in self._library.embed(list(texts))])

    @cached_property
    def _library(self) -> Any:
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise ConfigError("fastembed is not installed", hint="pip install 'everfact[fastembed]'") from error
        known = sorted(model["model"] for model in TextEmbedding.list_supported_models())
        if self._name not in known:
            raise ConfigError(f"fastembed has no model {self._name}", hint=f"it has {', '.join(known[:5])} and others")
        try:
            return TextEmbedding(self._name)
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelUnavailable(f"{self._name} cannot be fetched", hint="is there a network?") from error
