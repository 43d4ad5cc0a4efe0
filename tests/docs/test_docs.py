"""A command, a setting or a module that is not documented does not exist."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

import everfact
from everfact.cli import app
from everfact.config.settings import KEYS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def commands(group: typer.core.TyperGroup | None = None, path: str = "everfact") -> list[str]:
    """Every command with its group's name in front."""
    found = []
    for name, command in (group or typer.main.get_group(app)).commands.items():
        if isinstance(command, typer.core.TyperGroup):
            found += commands(command, f"{path} {name}")
        else:
            found.append(f"{path} {name}")
    return found


def modules() -> list[str]:
    package = Path(everfact.__file__).parent
    files = (file.relative_to(package.parent).with_suffix("") for file in package.rglob("*.py"))
    return sorted(".".join(file.parts).removesuffix(".__init__") for file in files)


@pytest.mark.parametrize("command", commands())
def test_every_command_is_documented(command: str) -> None:
    assert f"`{command}" in (REFERENCE / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [p.opts[0] for p in typer.main.get_group(app).params])
def test_every_global_option_is_documented(option: str) -> None:
    assert f"`{option}`" in (REFERENCE / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", KEYS)
def test_every_setting_is_documented_with_its_variable(key: str) -> None:
    page = (REFERENCE / "config.md").read_text(encoding="utf-8")
    assert f"`{key}`" in page
    assert KEYS[key].variable in page


@pytest.mark.parametrize("module", modules())
def test_every_module_is_documented(module: str) -> None:
    assert f"`{module}`" in (REFERENCE / "modules.md").read_text(encoding="utf-8")


def test_no_page_names_a_module_that_is_gone() -> None:
    named = re.findall(r"`(everfact(?:\.\w+)+)`", (REFERENCE / "modules.md").read_text(encoding="utf-8"))
    gone = [name for name in named if find_spec(name) is None]
    assert gone == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_in_pages_are_the_files_that_run(page: Path) -> None:
    shown = re.findall(r"<!-- example: (\S+) -->\n```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for file, code in shown:
        assert (ROOT / file).read_text(encoding="utf-8").endswith(code), file


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_are_short_and_run(example: Path, tmp_path: Path) -> None:
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 40
    with subject(example, tmp_path / "memory.db") as given:
        done = subprocess.run([sys.executable, example, given], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@contextmanager
def subject(example: Path, store: Path) -> Iterator[str]:
    """What an example works on: a file, or a server on it."""
    if example.name != "remote.py":
        yield str(store)
        return
    command = [sys.executable, "-m", "everfact", "--store", store, "mcp", "serve", "--transport", "http", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    yield process.stderr.readline().split()[-1]
    process.terminate()
    process.wait(20)
    process.stderr.close()
