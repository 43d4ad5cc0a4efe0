"""`Space`: a memory, here or behind a server, and the group in it that is meant. Every verb begins with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.client import RemoteMemory
    from everfact.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Where a verb acts."""

    memory: Memory | RemoteMemory
    group: str
    reach: tuple[str, ...] | None = None
    """Groups in which an item may be that is named by its whole id; None is any."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The group as the memory's methods take it."""
        return (self.group,)

    @property
    def is_remote(self) -> bool:
        """The memory is behind a server."""
        from everfact.memory import Memory

        return not isinstance(self.memory, Memory)

    def here(self) -> Memory:
        """The memory, for what no server does for others.

        Raises:
            UsageError: it is behind a server.
        """
        from everfact.memory import Memory

        if not isinstance(self.memory, Memory):
            raise UsageError("a server does not do this for others", hint="run it where the memory is")
        return self.memory
