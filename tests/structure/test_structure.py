"""The shape of the code: what is public, how large things are, what must not be there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import everfact
from everfact import models

ROOT = Path(everfact.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
BANNED = {"utils", "helpers", "common", "misc", "shared", "manager", "service"}
BROAD_EXCEPTS = 3


def test_public_names_are_exactly_the_listed_ones() -> None:
    public = {name for name, item in vars(everfact).items() if not name.startswith("_") and not _is_module(item)}
    incidental = {"annotations", "TYPE_CHECKING", "import_module"}
    unlisted = {
        "HEARD",
        "JSON",
        "MET",
        "Cursor",
        "Entry",
        "Skipped",
        "Vector",
        "as_entry",
        "fold_name",
        "names_in",
        "thing_of",
    }
    later = {"__version__", "Memory", "SagaSummary", "Worker", "open_memory"} | (set(models.__all__) - unlisted)
    assert public - incidental | later == set(everfact.__all__)
    assert everfact.__all__ == sorted(everfact.__all__)
    assert all(getattr(everfact, name) is not None for name in everfact.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        everfact.nonsense  # noqa: B018


def _is_module(item: object) -> bool:
    return type(item).__name__ == "module"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_file_is_no_god_file(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 450


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_file_says_what_lives_there_and_is_named_for_it(file: Path) -> None:
    assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert file.stem not in BANNED


def test_functions_are_short() -> None:
    long = [
        f"{file.relative_to(ROOT)}:{node.name}"
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno >= 50  # type: ignore[operator]
    ]
    assert long == []


def test_broad_excepts_are_few() -> None:
    found = [
        file.name
        for file in FILES
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*except( Exception)?:", line)
    ]
    assert len(found) <= BROAD_EXCEPTS


def test_import_brings_nothing_heavy() -> None:
    heavy = "{'apsw', 'numpy', 'asyncio', 'typer', 'rich', 'ruamel'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, everfact; print({heavy})"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def test_help_brings_nothing_heavy() -> None:
    heavy = "{'apsw', 'numpy', 'asyncio', 'pydantic', 'ruamel', 'everfact.config'} & set(sys.modules)"
    code = f"import sys, everfact.cli; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_tools_are_thin() -> None:
    thick = [
        node.name
        for file in (ROOT / "server" / "tools").glob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.AsyncFunctionDef) and sum(isinstance(part, ast.stmt) for part in ast.walk(node)) > 16
    ]
    assert thick == []


def test_commands_are_thin() -> None:
    thick = [
        node.name
        for file in (ROOT / "cli").glob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and any(argument.arg == "ctx" for argument in node.args.args)
        if sum(isinstance(part, ast.stmt) for part in ast.walk(node)) > 16 and node.name != "serve"
    ]
    assert thick == []
