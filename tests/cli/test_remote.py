"""`--remote`: the same commands on the memory of a server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import everfact
from everfact.server.tokens import TokenFile

pytestmark = pytest.mark.slow


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "everfact", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=os.environ | environ)


async def fill(store: Path) -> None:
    async with await everfact.open_memory(store) as memory:
        await memory.add(everfact.Draft(content="Ana works at Acme."), wait=True)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    asyncio.run(fill(tmp_path / "there.db"))
    command = [sys.executable, "-m", "everfact", "--store", str(tmp_path / "there.db"), "mcp", "serve"]
    process = subprocess.Popen([*command, "--transport", "http", "--port", "0"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found
    yield found[0]
    process.kill()
    process.wait(20)
    process.stderr.close()


def test_command_speaks_of_the_servers_memory(server: str, own_home: Path) -> None:
    done = run("--remote", server, "health", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["store"], answer["episodes"], answer["facts"]) == (server, 1, 1)
    assert json.loads(run("health", "--json", EVERFACT_REMOTE=server).stdout)["facts"] == 1
    assert list(own_home.rglob("memory.db")) == []


def test_token_comes_from_the_environment(server: str, own_home: Path) -> None:
    run("token", "create", "first", "--all-groups")
    [file] = own_home.rglob("tokens.json")
    secret = TokenFile(file).create("second", groups=None, may_write=False)
    refused = run("--remote", server, "health")
    assert refused.returncode == 2
    assert "does not let us in" in refused.stderr
    assert run("--remote", server, "health", EVERFACT_REMOTE_TOKEN=secret).returncode == 0


def test_server_that_is_not_there_is_a_clear_error() -> None:
    done = run("--remote", "http://127.0.0.1:9/mcp", "health")
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr


def test_verbs_work_through_a_server(server: str, own_home: Path) -> None:
    def at(*words: str) -> subprocess.CompletedProcess[str]:
        done = run("--remote", server, *words)
        assert done.returncode == 0, done.stderr
        return done

    told = json.loads(at("add", "Ana left Acme. She works at Initech.", "--json").stdout)
    assert told["status"] == "done"
    assert told["uuid"] in at("list").stdout  # whole ids: a server looks up no ends of them
    found = json.loads(at("search", "Ana", "--type", "fact", "--json").stdout)["results"]
    assert found
    assert found[0]["uuid"] in at("search", "Ana", "--type", "fact").stdout
    assert "Initech" in at("log", "Ana").stdout
    assert "because somebody said" in at("blame", found[0]["uuid"]).stdout
    assert at("diff", "2020-01-01", "now", "Ana").returncode == 0
    assert at("stats", "--json").returncode == 0
    [change] = re.findall(r"everfact undo (\S+) takes it back", at("delete", told["uuid"]).stdout)
    assert at("undo", change).returncode == 0
    assert list(own_home.rglob("memory.db")) == []


@pytest.mark.parametrize("words", [("log",), ("compact",), ("backup", "x.db"), ("queue", "--retry")])
def test_what_a_server_does_not_do_is_refused(server: str, words: tuple[str, ...]) -> None:
    done = run("--remote", server, *words)
    assert done.returncode == 2
    assert "run it where the memory is" in done.stderr
