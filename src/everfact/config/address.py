"""Store addresses: which are allowed, and their one canonical spelling. Opens nothing."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_SERVERS = {
    "falkordb": "falkordb",
    "falkordb+s": "falkordb",
    "falkordb+ssc": "falkordb",
    "neo4j": "neo4j",
    "neo4j+s": "neo4j",
    "neo4j+ssc": "neo4j",
    "bolt": "neo4j",
    "bolt+s": "neo4j",
    "bolt+ssc": "neo4j",
}
_ALIASES = {"redis": "falkordb", "rediss": "falkordb+s", "falkor": "falkordb", "falkors": "falkordb+s"}
"""How FalkorDB's own client and Graphiti spell them."""
ALLOWED = "a path, sqlite:///path, falkordb://host, neo4j://host or bolt://host (also +s and +ssc)"

# One letter before the colon is a Windows drive, not a scheme.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"/[A-Za-z]:/")


def kind_of(store: str) -> str:
    """`sqlite`, `neo4j` or `falkordb`; empty when the address is none of them."""
    if _is_path(store) or _scheme_of(store) == "sqlite":
        return "sqlite"
    return _SERVERS.get(_canonical(_scheme_of(store)), "")


def anchor_store(store: str, *, folder: Path, home: Path) -> str:
    """The address with a plain path made absolute; any other comes back as it is."""
    if store.startswith("sqlite:///~"):
        store = store.removeprefix("sqlite:///")
    return _file_url(anchor_path(store, folder=folder, home=home)) if _is_path(store) else store


def anchor_path(path: str, *, folder: Path, home: Path) -> Path:
    """The path made absolute: `~` is home, anything relative starts in the folder."""
    if path == "~" or path.startswith(("~/", "~\\")):
        return home / path[2:]
    return folder / path


def split_login(store: str) -> tuple[str, str, str]:
    """The address without its login, the user and the password; both empty where it names none."""
    scheme, separator, rest = store.partition("://")
    netloc, slash, path = rest.partition("/")
    login, at, host = netloc.rpartition("@")
    if not at:
        return store, "", ""
    user, _, password = login.partition(":")
    return f"{scheme}{separator}{host}{slash}{path}", unquote(user), unquote(password)


def check_store(store: str) -> str:
    """The address in its canonical spelling.

    Raises:
        ValueError: it is not allowed; the message says what is, and never repeats the address.
    """
    if not store:
        raise ValueError(f"should be {ALLOWED}")
    if _is_path(store):
        return _file_url(Path(store).expanduser().absolute())
    if _scheme_of(store) == "sqlite":
        return _check_file(store)
    return _check_server(store)


def file_of(store: str) -> Path | None:
    """The file behind a canonical address; None when the store is a server."""
    if not store.startswith("sqlite://"):
        return None
    path = store.removeprefix("sqlite://")
    return Path(path[1:] if _DRIVE.match(path) else path)


def _is_path(store: str) -> bool:
    return _SCHEME.match(store) is None


def _scheme_of(store: str) -> str:
    return store.partition(":")[0].lower()


def _canonical(scheme: str) -> str:
    return _ALIASES.get(scheme, scheme)


def _file_url(path: Path) -> str:
    text = path.as_posix()
    return f"sqlite://{text}" if text.startswith("/") else f"sqlite:///{text}"


def _check_file(store: str) -> str:
    path = store[len("sqlite:") :]
    if not path.startswith("///") or not path.strip("/"):
        raise ValueError("should be sqlite:/// and an absolute path, or only the path")
    return f"sqlite:{path}"


def _check_server(store: str) -> str:
    written = _scheme_of(store)
    scheme, rest = _canonical(written), store[len(written) :]
    if scheme not in _SERVERS or not rest.startswith("://"):
        raise ValueError(f"should be {ALLOWED}")
    try:
        parts = urlsplit(store)
        host, _ = parts.hostname, parts.port  # reading the port checks it
    except ValueError:
        # The library's message quotes the address, which may hold a password.
        raise ValueError("has a host or a port that cannot be read") from None
    if not host:
        raise ValueError("names no host")
    if "@" in store:
        raise ValueError("should not hold a login; store_user and store_password do")
    return f"{scheme}{rest}"
