"""`HTTPEmbedder`: vectors from a service: OpenAI's and all that speak like it, Voyage's, Gemini's."""

from __future__ import annotations

import asyncio
import json
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from everfact.errors import ConfigError, ModelUnavailable

if TYPE_CHECKING:
    from everfact.models import Vector

_AT_ONCE = 64
"""Texts of one request; every service takes so many."""
_MOST_CHARACTERS = 8_000
"""Longer texts count with their beginning: services refuse what is longer than their model can read."""
_SECONDS = 20.0
_TRIES = 3
_WAIT_SECONDS = 1.0
_LONGEST_WAIT = 20.0
_REST_SECONDS = 30.0
"""How long a service that failed is left alone: who searches must not wait for it every time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How one kind of service is spoken to."""

    base_url: str
    path: str
    header: Callable[[str], tuple[str, str]]
    asks: Callable[[str, list[str]], object]
    answers: Callable[[Any], list[list[float]]]


def _bearer(key: str) -> tuple[str, str]:
    return "Authorization", f"Bearer {key}"


def _in_order(answer: Any) -> list[list[float]]:
    return [item["embedding"] for item in sorted(answer["data"], key=lambda item: item["index"])]


_OPENAI = Service(
    base_url="https://api.openai.com/v1",
    path="/embeddings",
    header=_bearer,
    asks=lambda model, texts: {"model": model, "input": texts, "encoding_format": "float"},
    answers=_in_order,
)
_VOYAGE = Service(
    base_url="https://api.voyageai.com/v1",
    path="/embeddings",
    header=_bearer,
    asks=lambda model, texts: {"model": model, "input": texts},
    answers=_in_order,
)
_GEMINI = Service(
    base_url="https://generativelanguage.googleapis.com/v1beta",
    path="/models/{model}:batchEmbedContents",
    header=lambda key: ("x-goog-api-key", key),
    asks=lambda model, texts: {
        "requests": [{"model": f"models/{model}", "content": {"parts": [{"text": text}]}} for text in texts]
    },
    answers=lambda answer: [item["values"] for item in answer["embeddings"]],
)
_OLLAMA = replace(_OPENAI, base_url="http://localhost:11434/v1")
SERVICES: Mapping[str, Service] = {"openai": _OPENAI, "voyage": _VOYAGE, "gemini": _GEMINI, "ollama": _OLLAMA}


class HTTPEmbedder:
    """A model behind a service. `model` is its provider and name: vectors of two never meet."""

    def __init__(self, provider: str, name: str, *, base_url: str | None = None, api_key: str = "") -> None:
        self.model = f"{provider}:{name}"
        self._name = name
        self._service = SERVICES[provider]
        self._url = (base_url or self._service.base_url).rstrip("/") + self._service.path.format(model=name)
        self._key = api_key
        self._failed = ""
        self._rests_until = 0.0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text.

        Raises:
            ModelUnavailable: the service does not answer, or did not just now.
            ConfigError: it refuses the key or the model.
        """
        if time.monotonic() < self._rests_until:
            raise ModelUnavailable(self._failed, hint="it is asked again in a moment")
        parts = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
        try:
            return [vector for part in parts for vector in await self._ask(list(part))]
        except ModelUnavailable as error:
            self._failed, self._rests_until = str(error.args[0]), time.monotonic() + _REST_SECONDS
            raise

    async def _ask(self, texts: list[str]) -> list[Vector]:
        for attempt in range(1, _TRIES + 1):
            try:
                return _vectors(self._service, await asyncio.to_thread(self._post, texts), len(texts), self.model)
            except _Later as later:
                if attempt == _TRIES or later.seconds > _LONGEST_WAIT:
                    raise ModelUnavailable(f"{self.model} does not answer: {later}") from later
                await asyncio.sleep(max(later.seconds, _WAIT_SECONDS * 2 ** (attempt - 1)))
        raise AssertionError

    def _post(self, texts: list[str]) -> bytes:
        # An empty text is an error to some services.
        asked = self._service.asks(self._name, [text[:_MOST_CHARACTERS] or " " for text in texts])
        headers = {"Content-Type": "application/json", "User-Agent": "everfact"}
        if self._key:
            name, value = self._service.header(self._key)
            headers[name] = value
        request = Request(self._url, json.dumps(asked).encode(), headers)  # noqa: S310 - settings take http and https only
        try:
            with urlopen(request, timeout=_SECONDS) as response:  # noqa: S310
                answer: bytes = response.read()
                return answer
        except HTTPError as error:
            with error:
                raise _refusal(self.model, error) from error
        except (OSError, HTTPException) as error:
            raise _Later(str(getattr(error, "reason", error)) or type(error).__name__) from error


class _Later(Exception):  # noqa: N818 - no error yet
    """Worth another try, after so many seconds if the service says."""

    def __init__(self, reason: str, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.seconds = seconds


def _refusal(model: str, error: HTTPError) -> Exception:
    """What a status means; what the service wrote may quote the texts, so it is not repeated."""
    if error.code == 429 or error.code >= 500:
        wait = error.headers.get("Retry-After", "")
        return _Later(f"status {error.code}", float(wait) if wait.replace(".", "", 1).isdigit() else 0.0)
    if error.code in (401, 403):
        return ConfigError(f"{model} refuses the key (status {error.code})", hint="set embedder.api_key")
    hint = "check embedder.model and embedder.base_url"
    return ConfigError(f"{model} refuses what is asked (status {error.code})", hint=hint)


def _vectors(service: Service, answer: bytes, count: int, model: str) -> list[Vector]:
    try:
        found = [array("f", values) for values in service.answers(json.loads(answer))]
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise ModelUnavailable(f"{model} answered what makes no sense: {type(error).__name__}") from error
    if len(found) != count or not all(found) or len({len(vector) for vector in found}) != 1:
        raise ModelUnavailable(f"{model} answered {len(found)} vectors to {count} texts, or of different lengths")
    return found
