"""Names: which Host and Origin headers are ours."""

from __future__ import annotations

import pytest

from everfact.server.http.names import Names, is_loopback


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("localhost", True),
        ("LocalHost:8000", True),
        ("127.0.0.1:1", True),
        ("[::1]:8000", True),
        ("::1", True),
        ("memory.example", True),
        ("memory.example:443", True),
        ("10.1.2.3:8000", True),
        ("", False),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example:localhost", False),
        ("user@localhost", False),
        ("localhost/path", False),
        ("localhost:99999", False),
        ("localhost:x", False),
        ("0.0.0.0", False),
        ("[::", False),
        ("local host", False),
    ],
)
def test_host_header(host: str, is_ours: bool) -> None:
    assert Names("10.1.2.3", ["memory.example"]).has_host(host) is is_ours


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        ("", True),
        ("http://localhost:3000", True),
        ("https://memory.example", True),
        ("null", False),
        ("localhost", False),
        ("file://localhost", False),
        ("http://evil.example", False),
        ("http://memory.example.evil", False),
    ],
)
def test_origin_header(origin: str, is_ours: bool) -> None:
    assert Names("0.0.0.0", ["memory.example"]).has_origin(origin) is is_ours


def test_every_address_is_no_name() -> None:
    assert Names("0.0.0.0").hosts == Names("::").hosts == Names("127.0.0.1").hosts


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "::1", "[::1]"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "192.168.1.1", "localhost.example", "example"])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)
