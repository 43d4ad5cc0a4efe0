"""A real Neo4j on this machine, its parts from Maven Central. It needs a Java 17 that can compile, and Maven.

Run by itself it fetches the parts, so that no test has to wait for them.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from tests.servers.falkordb import free_port

from everfact.stores.cypher.neo4j import Neo4jEngine
from everfact.stores.cypher.server import Server

VERSION = "5.26.12"
_PARTS = Path.home() / ".cache" / "everfact-tests" / f"neo4j-{VERSION}"
_SOURCE = Path(__file__).with_name("Neo4jServer.java")
_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>everfact</groupId><artifactId>neo4j-for-tests</artifactId><version>1</version><dependencies><dependency>
<groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{VERSION}</version></dependency></dependencies>
</project>"""
_SETTINGS = """server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.memory.pagecache.size={cache}
dbms.security.auth_enabled={auth}
dbms.usage_report.enabled=false
"""


class Neo4jServer:
    """One process of the server: small and soon there, or `large`, as it is run in earnest."""

    def __init__(
        self, *settings: str, folder: Path | None = None, auth: bool = False, port: int = 0, large: bool = False
    ) -> None:
        missing = fetch()
        if missing:
            pytest.skip(missing)
        self.port = port or free_port()
        self.url = f"bolt://127.0.0.1:{self.port}"
        self.folder = folder or Path(tempfile.mkdtemp())
        made = _SETTINGS.format(port=self.port, auth=str(auth).lower(), cache="1g" if large else "64m")
        (self.folder / "neo4j.conf").write_text("\n".join([made, *settings]))
        options = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch")]
        options += ["-Xmx3g"] if large else ["-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        log = (self.folder / "log").open("w")
        self.process = subprocess.Popen(
            ["java", *options, "-cp", f"{_PARTS}/*", str(_SOURCE), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert self.process.stdout is not None
        log.close()
        if self.process.stdout.readline().strip() != "ready":
            raise OSError((self.folder / "log").read_text())
        self.admin = GraphDatabase.driver(self.url, auth=None)

    def engine(self) -> Neo4jEngine:
        """A connection to it."""
        return Neo4jEngine(Server(self.url))

    def wipe(self) -> None:
        """Begin anew; indexes stay, since making them takes long."""
        self.admin.execute_query("MATCH (n) WHERE NOT n:EverfactSchema DETACH DELETE n")

    def kill(self) -> None:
        """End it as a crash would."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait(30)
        self.admin.close()
        self.process.stdout.close()
        self.process.stdin.close()

    def freeze(self) -> None:
        """Let it hang: it takes connections and says nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it."""
        self.admin.close()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@cache
def neo4j() -> Neo4jServer:
    """The one server of this test process; it ends with it."""
    return Neo4jServer()


def fetch() -> str:
    """Get the server's files, once for this user; answer what is in the way, if anything is."""
    missing = [program for program in ("java", "javac", "mvn") if shutil.which(program) is None]
    if missing:
        return f"no Neo4j: it takes a Java Development Kit and Maven, and {', '.join(missing)} is not there"
    if _PARTS.exists():
        return ""
    _PARTS.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_PARTS.parent) as fresh:
        Path(fresh, "pom.xml").write_text(_POM)
        copy = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={fresh}/jars"]
        done = subprocess.run(copy, cwd=fresh, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"no Neo4j: Maven could not fetch it: {done.stdout[-500:]}"
        with suppress(OSError):  # whoever comes first
            Path(fresh, "jars").rename(_PARTS)
    return "" if _PARTS.exists() else f"no Neo4j: its files cannot be kept in {_PARTS}"


if __name__ == "__main__":
    print(fetch() or f"Neo4j {VERSION} is there")
