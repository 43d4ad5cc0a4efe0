"""`everfact mcp serve` as it is started."""

from __future__ import annotations

import pytest

from everfact.cli.arguments import arguments


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (["graphiti-mcp"], ["mcp", "serve"]),
        (["/usr/bin/graphiti-mcp", "--transport", "stdio"], ["mcp", "serve", "--transport", "stdio"]),
        (["graphiti-mcp", "--version"], ["--version"]),
        (["graphiti-mcp", "health"], ["health"]),
        (["everfact"], []),
        (["everfact", "--transport", "stdio"], ["--transport", "stdio"]),
    ],
)
def test_graphitis_server_starts_by_its_name_alone(argv: list[str], meant: list[str]) -> None:
    assert arguments(argv) == meant
