"""The page of tools says what the tools say."""

from __future__ import annotations

from tests.docs.tools_page import PAGE, page

from everfact.server.toolsets import ALIASES, TOOLSETS


def test_the_page_is_what_the_tools_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/docs/tools_page.py"


def test_every_set_and_alias_is_on_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*TOOLSETS, *ALIASES) if f"`{name}`" not in text] == []
