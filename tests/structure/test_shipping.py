"""What stores of plugins and servers get is written from one place, says one version, and holds to their rules."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from everfact import __version__
from everfact.install import skill
from everfact.server.toolsets import NAMES

ROOT = Path(__file__).parents[2]
MADE: dict[str, Any] = runpy.run_path(str(ROOT / "shipping" / "generate.py"))
FILES: dict[str, str] = MADE["files"]()
TOOL = re.compile(r"`(?:mcp__\w+__)?([a-z]+_[a-z_]+)`")


@pytest.mark.parametrize("path", FILES)
def test_the_files_are_those_that_are_generated(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == FILES[path], "run: make plugin"


@pytest.mark.parametrize("path", [path for path in FILES if "version" in FILES[path] and path.endswith(".json")])
def test_every_version_is_that_of_the_package(path: str) -> None:
    versions = re.findall(r'"version": "([^"]+)"', FILES[path])
    assert set(versions) == {__version__}


def test_the_registry_entry_holds_to_its_schema() -> None:
    entry = json.loads(FILES["server.json"])
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100
    assert entry["$schema"].startswith("https://static.modelcontextprotocol.io/schemas/")
    for package in entry["packages"]:
        assert {"registryType", "identifier", "version", "transport"} <= package.keys()
        assert package["transport"] == {"type": "stdio"}
        assert all(argument["type"] == "positional" and argument["value"] for argument in package["packageArguments"])
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def front_matter() -> dict[str, str]:
    _, matter, _ = skill.text().split("---\n", 2)
    return dict(YAML(typ="safe").load(matter))


def test_the_skill_is_a_valid_one() -> None:
    matter = front_matter()
    assert matter["name"] == skill.NAME
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", matter["name"])
    assert 1 <= len(matter["description"]) <= 1024
    assert set(matter) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert len(skill.text()) < 4 * 1000


def test_the_skill_names_tools_that_there_are() -> None:
    named = set(TOOL.findall(skill.text())) - {"valid_at", "include_history", "episode_body"}
    assert {"add_facts", "search", "get_context"} <= named | {"search"}
    assert named <= NAMES


async def test_the_facts_that_the_skill_shows_do_what_it_says(tmp_path: Path) -> None:
    from pydantic import TypeAdapter

    from everfact.assemble import open_memory
    from everfact.server.arguments import GivenFact

    [example] = re.findall(r"```json\n(.*?)```", skill.text(), re.DOTALL)
    shown = TypeAdapter(list[GivenFact]).validate_python(json.loads(example)["facts"])
    before = GivenFact(subject="billing service", relation="uses", object="MySQL")
    async with await open_memory(tmp_path / "memory.db") as memory:
        await memory.add_facts([before.statement()])
        await memory.add_facts([given.statement() for given in shown])
        facts = (await memory.history("billing service")).facts
    assert [(fact.sentence, fact.invalid_at is None) for fact in facts] == [
        ("billing service uses MySQL", False),
        (shown[0].fact, True),
    ]
