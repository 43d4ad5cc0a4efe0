"""A real service on this machine, as good and as bad as those in the world."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from everfact.embedders import http
from everfact.embedders.http import HTTPEmbedder
from everfact.errors import ConfigError, ModelUnavailable

Answer = tuple[int, dict[str, str], bytes] | None
"""Status, headers and body; None hangs up."""


class Service:
    """Answers by a script, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.script: list[Callable[[Any], Answer]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                act = service.script.pop(0) if len(service.script) > 1 else service.script[0]
                answer = act(body)
                if answer is None:
                    self.connection.close()
                    return
                status, headers, content = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setattr(http, "_WAIT_SECONDS", 0.01)
    made = Service()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def lengths(body: Any) -> Answer:
    """A vector that tells the length of the text, the last one first."""
    found = [{"index": n, "embedding": [len(text), 1.0]} for n, text in enumerate(body["input"])]
    return 200, {}, json.dumps({"data": found[::-1]}).encode()


def status(code: int, **headers: str) -> Callable[[Any], Answer]:
    return lambda _: (code, {name.replace("_", "-"): value for name, value in headers.items()}, b'{"error": "no"}')


def body(content: object) -> Callable[[Any], Answer]:
    return lambda _: (200, {}, content if isinstance(content, bytes) else json.dumps(content).encode())


async def test_vectors_come_in_the_order_of_the_texts_and_in_bounded_requests(service: Service) -> None:
    service.script = [lengths]
    embedder = HTTPEmbedder("openai", "text-embedding-3-small", base_url=service.url, api_key="secret")
    vectors = await embedder.embed(["a" * (n + 1) for n in range(150)])
    assert [vector[0] for vector in vectors] == [n + 1 for n in range(150)]
    assert [len(asked["input"]) for _, _, asked in service.asked] == [64, 64, 22]
    path, headers, asked = service.asked[0]
    assert (path, headers["authorization"], asked["model"]) == (
        "/v1/embeddings", "Bearer secret", "text-embedding-3-small",
    )  # fmt: skip


async def test_empty_and_huge_texts_are_sent_so_that_services_take_them(service: Service) -> None:
    service.script = [lengths]
    vectors = await HTTPEmbedder("voyage", "voyage-4", base_url=service.url).embed(["", "x" * 100_000])
    assert [vector[0] for vector in vectors] == [1, 8_000]


async def test_gemini_is_asked_in_its_own_way(service: Service) -> None:
    service.script = [body({"embeddings": [{"values": [1.0, 2.0]}, {"values": [3.0, 4.0]}]})]
    embedder = HTTPEmbedder("gemini", "gemini-embedding-001", base_url=service.url, api_key="secret")
    assert [list(vector) for vector in await embedder.embed(["a", "b"])] == [[1.0, 2.0], [3.0, 4.0]]
    path, headers, asked = service.asked[0]
    assert path == "/v1/models/gemini-embedding-001:batchEmbedContents"
    assert headers["x-goog-api-key"] == "secret"
    assert asked["requests"][1]["content"]["parts"] == [{"text": "b"}]


async def test_busy_service_is_asked_again(service: Service) -> None:
    service.script = [status(429, Retry_After="0.02"), status(503), lengths]
    assert len(await HTTPEmbedder("openai", "m", base_url=service.url).embed(["a"])) == 1
    assert len(service.asked) == 3


@pytest.mark.parametrize(
    "act",
    [
        status(500),
        status(429, Retry_After="3600"),
        lambda _: None,
        body(b"<html>"),
        body({"data": []}),
        body({"data": [{"index": 0}]}),
        body({"data": [{"index": 0, "embedding": ["a"]}]}),
        body({"data": [{"index": 0, "embedding": []}]}),
        body({"data": None}),
        body([1]),
    ],
)
async def test_service_that_fails_is_left_alone_for_a_while(
    service: Service, act: Callable[[Any], Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    service.script = [act]
    embedder = HTTPEmbedder("openai", "m", base_url=service.url)
    with pytest.raises(ModelUnavailable) as caught:
        await embedder.embed(["a secret text"])
    assert "secret" not in str(caught.value)
    asked = len(service.asked)
    service.script = [lengths]
    with pytest.raises(ModelUnavailable):
        await embedder.embed(["a"])
    assert len(service.asked) == asked
    embedder._rests_until = 0.0
    assert len(await embedder.embed(["a"])) == 1


async def test_service_that_is_not_there_is_unavailable(service: Service) -> None:
    embedder = HTTPEmbedder("openai", "m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ModelUnavailable, match="refused"):
        await embedder.embed(["a"])


@pytest.mark.parametrize(("code", "hint"), [(401, "api_key"), (403, "api_key"), (404, "base_url"), (400, "model")])
async def test_refusal_names_the_setting(service: Service, code: int, hint: str) -> None:
    service.script = [status(code)]
    with pytest.raises(ConfigError) as caught:
        await HTTPEmbedder("openai", "m", base_url=service.url).embed(["a"])
    assert hint in caught.value.hint
    assert len(service.asked) == 1
