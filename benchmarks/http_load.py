"""Many clients add and search over HTTP at the same time, while the server is killed now and then if asked to.

Counts errors and losses, and times both. What the server acknowledged must be in the file afterwards, every time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from everfact import Filter, open_memory

_GROUPS = 8
_EVERYTHING = 10_000_000
_HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class Refused(Exception):  # noqa: N818 - it is no error of ours
    """The server answered, but not with success."""


@dataclass
class Server:
    """The server in its own process; after a kill it is started again on the same port."""

    store: Path
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "everfact", "--store", str(self.store), "mcp", "serve", "--transport", "http"]
        log = self.store.with_suffix(".log")
        with log.open("ab") as file:
            start = file.tell()
            self.process = subprocess.Popen([*command, "--port", str(self.port)], stdout=file, stderr=file)
        deadline = time.monotonic() + 60
        while not (found := re.search(rb"http://127\.0\.0\.1:(\d+)/mcp", log.read_bytes()[start:])):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the server did not start: {log.read_text()}")
            time.sleep(0.02)
        self.port = int(found[1])

    def end(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(60)


@dataclass
class Tally:
    """What happened."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    """The uuid of each add that was answered, and the word that only it holds."""
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"add": [], "search": []})
    broken: int = 0
    """Calls that a kill cut off."""
    unfound: int = 0
    errors: Counter[str] = field(default_factory=Counter)


class Client:
    """One client with a session of its own, which it opens anew when the server was killed."""

    def __init__(self, server: Server, number: int, tally: Tally) -> None:
        self._server = server
        self._http = httpx2.AsyncClient(headers=_HEADERS, timeout=120)
        self._session = ""
        self._random = random.Random(number)
        self._group = f"group{number % _GROUPS}"
        self._number = number
        self._tally = tally
        self._told: list[tuple[str, str]] = []

    async def run(self, until: float, share: float) -> None:
        count = 0
        while time.monotonic() < until:
            count += 1
            try:
                if not self._told or self._random.random() < share:
                    await self._add(f"word{self._number}x{count}")
                else:
                    await self._search()
            except (httpx2.TransportError, ConnectionError):
                self._tally.broken += 1
                self._session = ""
                await asyncio.sleep(0.1)
            except Refused as error:
                self._tally.errors[str(error)[:200]] += 1
        await self._http.aclose()

    async def _add(self, word: str) -> None:
        body = f"Person {word} works at Company {word} and lives in Oslo."
        began = time.perf_counter()
        told = await self._call("add_memory", name=word, episode_body=body, group_id=self._group)
        self._tally.seconds["add"].append(time.perf_counter() - began)
        self._tally.acknowledged[told["uuid"]] = word
        self._told.append((told["uuid"], word))

    async def _search(self) -> None:
        uuid, word = self._random.choice(self._told[-20:])
        began = time.perf_counter()
        found = await self._call("search", query=word, group_ids=[self._group])
        self._tally.seconds["search"].append(time.perf_counter() - began)
        hits = json.dumps(found["results"])
        if uuid not in hits and word not in hits:
            self._tally.unfound += 1

    async def _call(self, tool: str, **arguments: Any) -> Any:
        if not self._session:
            await self._open()
        try:
            reply = await self._post("tools/call", {"name": tool, "arguments": arguments})
        except KeyError:  # the session is of a server that is no more
            await self._open()
            reply = await self._post("tools/call", {"name": tool, "arguments": arguments})
        if "error" in reply or reply["result"]["isError"]:
            raise Refused(f"{tool}: {json.dumps(reply)}")
        return reply["result"]["structuredContent"]

    async def _open(self) -> None:
        self._session = ""
        info = {"name": "load", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        await self._post("initialize", params)

    async def _post(self, method: str, params: dict[str, Any]) -> Any:
        headers = {"mcp-session-id": self._session} if self._session else {}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        url = f"http://127.0.0.1:{self._server.port}/mcp"
        answer = await self._http.post(url, json=message, headers=headers)
        if answer.status_code == 404:
            raise KeyError("session")
        if answer.status_code != 200:
            raise Refused(f"{method}: HTTP {answer.status_code} {answer.text}")
        self._session = answer.headers["mcp-session-id"]
        data = re.findall(r"^data: ?(.*?)\r?$", answer.text, re.MULTILINE)
        return json.loads(data[-1]) if data else {}


async def load(server: Server, options: argparse.Namespace) -> Tally:
    """Run all clients, and the killer beside them."""
    tally, until = Tally(), time.monotonic() + options.seconds
    clients = [Client(server, number, tally) for number in range(options.clients)]

    async def kill() -> None:
        for _ in range(options.kills):
            await asyncio.sleep(options.seconds / (options.kills + 1))
            await asyncio.to_thread(server.end, signal.SIGKILL)
            await asyncio.to_thread(server.start)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(kill())
        for client in clients:
            tasks.create_task(client.run(until, options.adds))
    return tally


async def count_lost(store: Path, tally: Tally) -> int:
    """Acknowledged adds that are not in the file, or not as they were told."""
    async with await open_memory(store) as memory:
        kept = {e.uuid: e.content for e in await memory.episodes(Filter(group_ids=None), limit=_EVERYTHING)}
    return sum(1 for uuid, word in tally.acknowledged.items() if word not in kept.get(uuid, ""))


def report(tally: Tally, lost: int, options: argparse.Namespace) -> int:
    """Print the figures; answer the exit code."""
    what = f"{options.clients} clients, {options.seconds:g} s, {options.kills} kills"
    for name, seconds in tally.seconds.items():
        ranked = sorted(seconds) or [0.0]
        print(f"{name}_calls {len(seconds)} ({what})")
        for share in (50, 95, 99):
            print(f"{name}_p{share} {ranked[min(len(ranked) * share // 100, len(ranked) - 1)] * 1000:.1f} ms")
    print(f"acknowledged {len(tally.acknowledged)}")
    print(f"lost {lost}")
    print(f"unfound {tally.unfound} (searches that missed what the same client had been told is kept)")
    print(f"errors {sum(tally.errors.values())}")
    print(f"broken {tally.broken} (calls cut off by a kill)")
    for error, number in tally.errors.most_common(5):
        print(f"  {number} times: {error}", file=sys.stderr)
    is_broken = tally.broken and not options.kills
    return int(bool(lost or tally.unfound or tally.errors or is_broken or not tally.acknowledged))


def main() -> int:
    """The exit code says whether anything was lost or went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--adds", type=float, default=0.5, help="share of the calls that add; the others search")
    parser.add_argument(
        "--kills", type=int, default=0, help="how often to kill the server (kill -9) and start it again"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = os.environ["USERPROFILE"] = folder  # no settings and no tokens of whoever runs this
        server = Server(Path(folder) / "memory.db")
        server.start()
        try:
            tally = asyncio.run(load(server, options))
        finally:
            server.end(signal.SIGKILL if options.kills else signal.SIGTERM)
        return report(tally, asyncio.run(count_lost(server.store, tally)), options)


if __name__ == "__main__":
    sys.exit(main())
