"""Every spelling of an address that names a server reaches a real one: by routing, over TLS, with any certificate."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.servers.falkordb import falkordb
from tests.servers.neo4j import Neo4jServer, neo4j

from everfact.assemble import open_store
from everfact.config import load
from everfact.errors import StoreUnavailable
from everfact.models import Thing
from everfact.testing.builders import HOME, episode

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A folder with a key and a certificate that nobody has signed but itself."""
    if shutil.which("openssl") is None:
        pytest.skip("no certificate: it takes the program openssl")
    made = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-nodes"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-keyout", "private.key", "-out", "public.crt", *made],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    return tmp_path


@asynccontextmanager
async def relay(port: int, certificate: Path) -> AsyncIterator[int]:
    """A door with TLS before that port: the FalkorDB of the tests is built without it."""

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while sent := await source.read(65_536):
            sink.write(sent)
            await sink.drain()
        sink.close()

    async def passes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        with suppress(OSError):
            await asyncio.gather(pump(reader, inner_writer), pump(inner_reader, writer))

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "public.crt", certificate / "private.key")
    async with await asyncio.start_server(passes, "127.0.0.1", 0, ssl=context) as door:
        yield door.sockets[0].getsockname()[1]


async def works(url: str) -> None:
    """Something can be told there, and is found."""
    async with await open_store(load({"store": url}).settings) as store:
        await store.stats()  # whoever tells something does not wait until a new server has its indexes
        told = await store.add_episode(episode(f"Rome is old, says {url}"))
        assert not told.error
        assert told.uuid in [hit.uuid for hit in await store.match_text(Thing.EPISODE, "rome", HOME, limit=50)]


async def fails(url: str, hint: str) -> None:
    async with await open_store(load({"store": url}).settings) as store:
        with pytest.raises(StoreUnavailable) as caught:
            await store.stats()
    assert hint in caught.value.hint


async def test_neo4j_by_routing() -> None:
    neo4j().wipe()
    await works(neo4j().url.replace("bolt:", "neo4j:"))


async def test_neo4j_over_tls(certificate: Path) -> None:
    policy = "dbms.ssl.policy.bolt"
    server = Neo4jServer(
        f"{policy}.enabled=true",
        f"{policy}.base_directory={certificate}",
        f"{policy}.private_key=private.key",
        f"{policy}.public_certificate=public.crt",
        f"{policy}.client_auth=NONE",
        "server.bolt.tls_level=OPTIONAL",
    )
    try:
        for scheme in ("neo4j+ssc", "bolt+ssc"):
            await works(server.url.replace("bolt", scheme))
        for scheme in ("neo4j+s", "bolt+s"):
            await fails(server.url.replace("bolt", scheme), "+ssc")
    finally:
        server.stop()


async def test_falkordb_over_tls(certificate: Path) -> None:
    falkordb().wipe()
    async with relay(falkordb().port, certificate) as port:
        await works(f"falkordb+ssc://127.0.0.1:{port}")
        await fails(f"falkordb+s://127.0.0.1:{port}", "+ssc")


async def test_other_spellings_of_falkordb() -> None:
    falkordb().wipe()
    for scheme in ("redis", "falkor"):
        await works(falkordb().url.replace("falkordb", scheme))
