"""Which server, and who asks: what both engines are told."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Server:
    """An address in its canonical spelling, and a login."""

    url: str
    user: str | None = None
    password: str | None = None
    database: str | None = None

    @property
    def host(self) -> str:
        """The host alone."""
        return urlsplit(self.url).hostname or "localhost"

    @property
    def port(self) -> int | None:
        """The port, if the address names one."""
        return urlsplit(self.url).port
