"""Under which names the server may be called: the Host and Origin headers it answers to.

A web page that the user visits can make the browser call a server on this machine, even under a name that the page's
owner made up (DNS rebinding). Such a call carries the made-up name, and here it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether a server bound to `host` can be reached from this machine alone."""
    if host.casefold() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Names:
    """The names that a server answers to, with any port."""

    def __init__(self, bound: str, others: Sequence[str] = ()) -> None:
        named = [_bare(name) for name in (*LOOPBACK, bound, *others)]
        # 0.0.0.0 and :: stand for every address and are no name of any.
        self.hosts = tuple(dict.fromkeys(name for name in named if name not in ("", "0.0.0.0", "[::]")))  # noqa: S104

    def has_host(self, header: str) -> bool:
        """Whether a Host header is one of ours."""
        return _bare(header) in self.hosts

    def has_origin(self, header: str) -> bool:
        """Whether an Origin header is a page of ours; calls that come from no page have none."""
        scheme, separator, host = header.partition("://")
        return not header or bool(separator and scheme in ("http", "https") and self.has_host(host))


def _bare(name: str) -> str:
    """The name without its port, lower case; empty for what is none."""
    text = f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name
    try:
        parts = urlsplit(f"//{text}")
        host, _ = parts.hostname or "", parts.port  # a port that is no number raises
    except ValueError:
        return ""
    if parts.netloc != text or parts.username is not None:
        return ""
    return f"[{host}]" if ":" in host else host
