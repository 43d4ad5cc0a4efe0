"""An OpenAI-compatible endpoint on loopback: it answers as it is told, faults included, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Ask", BaseHTTPRequestHandler], None]


@dataclass(slots=True)
class Ask:
    """One request."""

    body: dict[str, Any]
    number: int

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][1]["content"])

    @property
    def text(self) -> str:
        return self.user.partition("<text>\n")[2].rpartition("\n</text>")[0]

    @property
    def mode(self) -> str:
        if "response_format" in self.body:
            return "native"
        return "tool" if self.body.get("tools") else "prompted"

    @property
    def is_judging(self) -> bool:
        return "verdict" in self.system


@dataclass
class Endpoint:
    """Where it is, what it was asked, and what it says next: the last answer is repeated."""

    answers: list[Answer]
    url: str = ""
    asks: list[Ask] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    released: threading.Event = field(default_factory=threading.Event)

    def take(self, body: dict[str, Any]) -> tuple[Ask, Answer]:
        with self.lock:
            ask = Ask(body, len(self.asks))
            self.asks.append(ask)
            return ask, self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def fact(subject: str, relation: str, thing: str, quote: str, **more: str) -> dict[str, str]:
    """A fact as a model gives it."""
    plain = {"kind": "state", "phase": "holds", "begins": "", "ended": "", "when": "", "replaces": ""}
    named = {"subject": subject, "relation": relation, "object": thing, "quote": quote}
    return {**plain, **named, "sentence": f"{subject} {relation.replace('_', ' ').lower()} {thing}.", **more}


def found(*facts: dict[str, str], entities: dict[str, str] | None = None) -> str:
    """An answer with these facts; their subjects and objects are persons and organizations unless said otherwise."""
    named = entities if entities is not None else {f["subject"]: "Person" for f in facts}
    rows = [{"name": name, "type": kind} for name, kind in named.items()]
    return json.dumps({"entities": rows, "facts": list(facts)})


def says(content: str, *, sent: int = 100, answered: int = 50, usage: bool = True) -> Answer:
    """Answers with this text; in tool mode as the arguments of the call."""

    def answer(ask: Ask, handler: BaseHTTPRequestHandler) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if ask.mode == "tool":
            call = {"name": ask.body["tools"][0]["function"]["name"], "arguments": content}
            message = {"role": "assistant", "content": None}
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
        body = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        if usage:
            body["usage"] = {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered}
        send(handler, 200, json.dumps(body).encode())

    return answer


def fails(status: int, *, headers: dict[str, str] | None = None, body: str = '{"error": {"message": "no"}}') -> Answer:
    """Answers with a status."""
    return lambda _, handler: send(handler, status, body.encode(), headers)


def hangs(endpoint: Endpoint) -> Answer:
    """Never answers; lets go when the endpoint is closed."""

    def answer(_: Ask, handler: BaseHTTPRequestHandler) -> None:
        endpoint.released.wait(30)
        handler.close_connection = True

    return answer


def cuts(content: bytes = b'{"id": "x", "choices": [{"mess') -> Answer:
    """Promises more than it sends, and closes the connection in the middle."""

    def answer(_: Ask, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "5000")
        handler.end_headers()
        handler.wfile.write(content)
        handler.wfile.flush()
        handler.close_connection = True

    return answer


def by_text(table: dict[str, str], otherwise: str = "") -> Answer:
    """Answers by a word that the text to read holds."""

    def answer(ask: Ask, handler: BaseHTTPRequestHandler) -> None:
        content = next((content for word, content in table.items() if word in ask.text), otherwise or found())
        says(content)(ask, handler)

    return answer


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    handler.send_response(status)
    for name, value in {
        "content-type": "application/json",
        "content-length": str(len(body)),
        **(headers or {}),
    }.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serving(*answers: Answer) -> Iterator[Endpoint]:
    """The endpoint, reachable at its `url` while the block lasts."""
    endpoint = Endpoint(list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

        def do_POST(self) -> None:
            ask, answer = endpoint.take(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            try:
                answer(ask, self)
            except ConnectionError:
                self.close_connection = True  # the client gave up waiting

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
