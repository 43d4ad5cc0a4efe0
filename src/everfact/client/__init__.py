"""A client for any memory server that has Graphiti's MCP tools, ours or another.

`MemoryClient` has the tools under their own names; `RemoteMemory` has the methods of `Memory`.
"""

from everfact.client.remote import RemoteMemory
from everfact.client.tools import MemoryClient

__all__ = ["MemoryClient", "RemoteMemory"]
