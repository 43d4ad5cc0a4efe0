"""Three FalkorDB nodes of one cluster on this machine."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from redis.crc import key_slot
from tests.servers.falkordb import DURABLE, FalkorServer, free_port

_SLOTS = 16_384
_OPTIONS = ("--cluster-enabled", "yes", "--cluster-require-full-coverage", "no", "--cluster-node-timeout", "1000")


class FalkorCluster:
    """Every node holds a third of the slots, and its own log on disk."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp())
        self.nodes = [self._start(number, free_port()) for number in range(3)]
        ranges = [(number * _SLOTS // 3, (number + 1) * _SLOTS // 3 - 1) for number in range(3)]
        for node, (first, last) in zip(self.nodes, ranges, strict=True):
            node.admin.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last)
        for node in self.nodes[1:]:
            node.admin.execute_command("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port, self.nodes[0].port + 1)
        self.wait(3)

    def _start(self, number: int, port: int) -> FalkorServer:
        folder = self._folder / str(number)
        folder.mkdir(exist_ok=True)
        bus = ("--cluster-port", str(port + 1))
        return FalkorServer(*DURABLE, *_OPTIONS, *bus, folder=folder, port=port)

    @property
    def url(self) -> str:
        """Any node will do; the first one is named."""
        return self.nodes[0].url

    def node_of(self, graph: str) -> int:
        """The number of the node that holds a graph."""
        return min(key_slot(graph.encode()) * 3 // _SLOTS, 2)

    def restart(self, number: int) -> None:
        """Start a node that was killed."""
        self.nodes[number] = self._start(number, self.nodes[number].port)
        self.wait(3)

    def wait(self, known: int) -> None:
        """Until every node sees all others, and each knows who holds what."""
        for _ in range(600):
            said = [node.admin.execute_command("CLUSTER", "INFO") for node in self.nodes]
            if all(
                str(_field(s, "cluster_state")) == "ok"
                and int(_field(s, "cluster_slots_ok")) == _SLOTS
                and int(_field(s, "cluster_known_nodes")) == known
                for s in said
            ):
                return
            time.sleep(0.05)
        raise TimeoutError(str(said))

    def stop(self) -> None:
        """End it."""
        for node in self.nodes:
            node.stop()
        shutil.rmtree(self._folder)


def _field(said: object, name: str) -> str:
    if isinstance(said, dict):
        return str(said[name])
    text = said.decode() if isinstance(said, bytes) else str(said)
    return dict(line.split(":", 1) for line in text.split() if ":" in line)[name]
