"""Stand-ins on loopback for the models behind Codex and Gemini CLI: they call one tool, then say one sentence."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "The cache uses SQLite now."

Reply = Callable[[str, dict[str, Any]], tuple[str, str]]
"""A path and a request to the text of an answer and its type."""


def responses(path: str, request: dict[str, Any]) -> tuple[str, str]:
    """OpenAI's Responses API: a shell command, then the sentence."""
    if "function_call_output" in json.dumps(request.get("input", [])):
        item = _message()
    else:
        names = [tool.get("name") for tool in request.get("tools", [])]
        shell = next((name for name in ("exec_command", "shell", "shell_command") if name in names), None)
        arguments = {"cmd": "cat notes.txt"} if shell == "exec_command" else {"command": ["cat", "notes.txt"]}
        call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "arguments": json.dumps(arguments)}
        item = call | {"name": shell} if shell else _message()
    counts = {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 3}
    usage = counts | {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 8}
    events = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events), "text/event-stream"


def _message() -> dict[str, Any]:
    content = [{"type": "output_text", "text": SAID}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": content}


def generate_content(path: str, request: dict[str, Any]) -> tuple[str, str]:
    """Gemini's API: a file is read, then the sentence."""
    if "countTokens" in path:
        return '{"totalTokens": 5}', "application/json"
    is_done = "functionResponse" in json.dumps(request.get("contents", []))
    call = {"functionCall": {"name": "read_file", "args": {"file_path": "notes.txt"}}}
    content = {"role": "model", "parts": [{"text": SAID}] if is_done else [call]}
    counts = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8}
    answer = json.dumps(
        {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}
    )
    return (f"data: {answer}\n\n", "text/event-stream") if "stream" in path else (answer, "application/json")


@contextmanager
def replying(reply: Reply) -> Iterator[str]:
    """A model that answers so, at the address that is yielded, while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

        def do_GET(self) -> None:
            self._send('{"models": [], "data": []}', "application/json")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            self._send(*reply(self.path, body))

        def _send(self, text: str, kind: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
