"""The official conformance suite: every scenario it scores passes, for both revisions it knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients.node import installed, run
from tests.clients.serving import PYTHON, free_port, listening

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_scored_scenario_passes(tmp_path: Path, revision: str) -> None:
    suite = installed("@modelcontextprotocol/conformance") / "dist" / "index.js"
    port = free_port()
    fixture = Path(__file__).with_name("fixture.py")
    with listening(PYTHON, fixture, tmp_path / "memory.db", str(port), port=port):
        url = f"http://127.0.0.1:{port}/mcp"
        done = run("node", suite, "server", "--url", url, "--requirements", revision, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "Total:" in done.stdout
