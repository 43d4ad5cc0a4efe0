"""Sets decide what is listed; everything can be called."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.talk import talk

from everfact.server.toolsets import ALIASES, TOOLSETS, default_toolsets, listed


@pytest.mark.parametrize("name", ["core", "graphiti", "history", "cli", "kuzu"])
async def test_a_set_lists_its_tools_in_their_order(tmp_path: Path, era: str, name: str) -> None:
    async with talk(tmp_path / "m.db", era=era, toolsets=(name,)) as agent:
        assert tuple(tool.name for tool in (await agent.client.list_tools()).tools) == TOOLSETS[name]


async def test_a_tool_that_is_not_listed_can_be_called(tmp_path: Path, era: str) -> None:
    async with talk(tmp_path / "m.db", era=era, toolsets=("core",)) as agent:
        assert (await agent.ask("health_check"))["status"] == "healthy"
        assert (await agent.ask("search_facts", query="tea"))["facts"] == []


def test_two_sets_list_each_tool_once() -> None:
    both = listed(("graphiti", "history"))
    assert len(both) == len(set(both))
    assert set(both) == {*TOOLSETS["graphiti"], *TOOLSETS["history"]}


def test_aliases_stand_for_tools() -> None:
    assert set(ALIASES) <= set(TOOLSETS["graphiti"])
    assert set(ALIASES.values()) <= set(TOOLSETS["graphiti"])


@pytest.mark.parametrize(
    ("program", "sets"),
    [
        ("everfact", ("core",)),
        ("graphiti-mcp", ("graphiti", "history", "tracking")),
        ("graphiti-mcp.exe", ("graphiti", "history", "tracking")),
        ("graphiti", ("cli",)),
        ("__main__", ("core",)),
    ],
)
def test_the_programs_name_picks_the_sets(program: str, sets: tuple[str, ...]) -> None:
    assert default_toolsets(program) == sets
