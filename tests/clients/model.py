"""A stand-in for a model behind the Messages API, on loopback: it calls the one tool it was told to, then stops."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """What it is to call, and every request it got."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self.tool, self.arguments = tool, arguments
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    @property
    def results(self) -> list[dict[str, Any]]:
        """What the tool answered, as the model was shown it."""
        blocks = [
            block
            for request in self.requests
            for message in request.get("messages", [])
            if isinstance(message.get("content"), list)
            for block in message["content"]
        ]
        return [block for block in blocks if block.get("type") == "tool_result"]

    def reply(self, request: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
        """The blocks of the answer, and why it ends."""
        self.requests.append(request)
        names = [tool.get("name", "") for tool in request.get("tools", [])]
        wanted = next((name for name in names if name.endswith(f"__{self.tool}")), None)
        if wanted and not self.results:
            return [{"type": "tool_use", "id": "toolu_1", "name": wanted, "input": self.arguments}], "tool_use"
        return [{"type": "text", "text": "Done."}], "end_turn"


@contextmanager
def serving(model: Model) -> Iterator[Model]:
    """The model, reachable at its `url` while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(b"{}", "application/json", 404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            if "count_tokens" in self.path or "/v1/messages" not in self.path:
                self._send(b'{"input_tokens": 10}', "application/json")
                return
            blocks, reason = model.reply(body)
            if body.get("stream"):
                self._send(_stream(str(body.get("model")), blocks, reason).encode(), "text/event-stream")
            else:
                whole = _message(str(body.get("model"))) | {"content": blocks, "stop_reason": reason}
                self._send(json.dumps(whole).encode(), "application/json")

        def _send(self, body: bytes, kind: str, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _message(name: str) -> dict[str, Any]:
    usage = {"input_tokens": 12, "output_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": name, "content": []}
    return head | {"stop_reason": None, "stop_sequence": None, "usage": usage}


def _stream(name: str, blocks: list[dict[str, Any]], reason: str) -> str:
    events: list[tuple[str, dict[str, Any]]] = [("message_start", {"message": _message(name)})]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append(("content_block_start", {"index": index, "content_block": empty}))
        events.append(("content_block_delta", {"index": index, "delta": delta}))
        events.append(("content_block_stop", {"index": index}))
    ended = {"stop_reason": reason, "stop_sequence": None}
    events.append(("message_delta", {"delta": ended, "usage": {"output_tokens": 7}}))
    events.append(("message_stop", {}))
    return "".join(f"event: {kind}\ndata: {json.dumps(data | {'type': kind})}\n\n" for kind, data in events)
