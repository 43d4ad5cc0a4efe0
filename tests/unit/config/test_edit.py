"""Setting a key in a TOML file's text."""

from __future__ import annotations

import tomllib

import pytest

from everfact.config.edit import with_value
from everfact.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "key", "value", "edited"),
    [
        ("", "group", "g", 'group = "g"\n'),
        ("", "mcp.port", 1, "[mcp]\nport = 1\n"),
        ("a = 1", "group", "g", 'a = 1\ngroup = "g"\n'),
        ("a = 1 # one\n", "a", 2, "a = 2  # one\n"),
        ('a = "x # y" # one\n', "a", "z", 'a = "z"  # one\n'),
        ("a = [\n  1, # one\n  2,\n]\nb = 3\n", "a", ["x", "y"], 'a = ["x", "y"]\nb = 3\n'),
        ("[mcp]\nx = 1\n\n# next\n[llm]\ny = 1\n", "mcp.z", True, "[mcp]\nx = 1\nz = true\n\n# next\n[llm]\ny = 1\n"),
        ("mcp.x = 1\n", "mcp.x", 2.5, "mcp.x = 2.5\n"),
        ("mcp.x = 1\n", "mcp.y", 2, "mcp.x = 1\nmcp.y = 2\n"),
        ('[[types]]\nname = "a"\n', "name", "b", 'name = "b"\n[[types]]\nname = "a"\n'),
        ('s = """\n[mcp]\nx = 1\n"""\n', "mcp.x", 2, 's = """\n[mcp]\nx = 1\n"""\n\n[mcp]\nx = 2\n'),
        ('s = """\nx = [\n"""\nx = 1\n', "x", 2, 's = """\nx = [\n"""\nx = 2\n'),
    ],
)
def test_only_the_value_changes(text: str, key: str, value: object, edited: str) -> None:
    assert with_value(text, key, value, file="f") == edited
    tomllib.loads(edited)


def test_text_that_is_not_toml_is_refused() -> None:
    with pytest.raises(ConfigError, match="f is not valid TOML"):
        with_value("=", "a", 1, file="f")


def test_text_that_cannot_be_changed_safely_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be changed safely"):
        with_value("mcp = {x = 1}\n", "mcp.y", 2, file="f")
