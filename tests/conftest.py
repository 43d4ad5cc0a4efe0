"""What holds for every test: no network beyond this machine, no reading of the developer's own settings."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

_LOOPBACK = ("127.", "::1", "localhost")

# Every test has a time limit as a whole; how long one example takes says more about the machine's other work.
settings.register_profile("everfact", deadline=None)
settings.load_profile("everfact")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(_LOOPBACK):
            raise PermissionError(f"tests do not talk to {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    foreign = ("EVERFACT_", "NEO4J_", "FALKORDB_", "GRAPHITI_", "OPENAI_", "CLAUDE_", "XDG_")
    for name in os.environ:
        if name.startswith(foreign) or name in {"CONFIG_PATH", "MODEL_NAME", "EMBEDDER_MODEL"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home
