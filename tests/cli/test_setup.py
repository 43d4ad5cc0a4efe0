"""`everfact setup`, and the hooks and the skill that it installs."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Program

from everfact.install import skill
from everfact.install.hooks import HOOKS, PARTS, command_line

HAVE_HOOKS = pytest.mark.parametrize("hooks", HOOKS, ids=lambda hooks: hooks.client)


@pytest.fixture(autouse=True)
def machine(own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Somebody with Codex, Gemini and Cursor beside Claude Code, none of them on the path."""
    monkeypatch.setenv("APPDATA", str(own_home / "AppData"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    for folder in (".codex", ".gemini", ".cursor"):
        (own_home / folder).mkdir()
    project = tmp_path / "project"
    project.mkdir()
    git = shutil.which("git")
    assert git
    commit = ("-c", "user.name=Ana", "-c", "user.email=ana@localhost", "commit", "--quiet", "--allow-empty")
    for words in (("init", "--quiet"), (*commit, "-m", "Use PostgreSQL for its row locks")):
        subprocess.run([git, *words], cwd=project, check=True)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(binaries))
    monkeypatch.chdir(project)
    monkeypatch.setenv("PWD", str(project))


def hooks_file(home: Path, client: str) -> Path:
    names = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}
    return home / names[client]


def files_below(folder: Path) -> dict[str, bytes]:
    ours = folder / ".config" / "everfact"
    return {str(f): f.read_bytes() for f in folder.rglob("*") if f.is_file() and not f.is_relative_to(ours)}


def test_it_does_everything_twice_the_same_and_all_can_be_taken_back(program: Program, own_home: Path) -> None:
    done = program.json("setup")
    assert {out["action"] for out in done["outcomes"]} == {"added", "ok"}
    whats = [(out["client"], out["what"]) for out in done["outcomes"]]
    everything = [(name, what) for name in ("claude-code", "codex", "gemini") for what in ("server", "hooks", "skill")]
    ours = {("everfact", what) for what in ("memory", "commits", "health")}
    assert set(whats) == {*everything, ("cursor", "server"), *ours}
    assert program.json("stats")["episodes"] == 1
    first = files_below(own_home)
    assert {out["action"] for out in program.json("setup")["outcomes"]} == {"unchanged", "ok"}
    assert files_below(own_home) == first
    program("mcp", "uninstall")
    assert files_below(own_home) == {}
    assert program.store.exists()


def test_one_step_that_fails_is_said_and_the_others_are_done(program: Program, own_home: Path) -> None:
    (own_home / ".cursor" / "mcp.json").write_text("{ broken", encoding="utf-8")
    done = program.result("setup")
    assert done.exit_code == 1
    assert "failed     cursor" in done.stdout
    assert "mend it" in done.stdout
    assert "1 new commit" in done.stdout
    assert "1 episode" in done.stdout
    assert json.loads((own_home / ".gemini" / "settings.json").read_text(encoding="utf-8"))["hooks"]


def test_a_dry_run_makes_nothing(program: Program, own_home: Path) -> None:
    assert "dry run" in program("setup", "--dry-run")
    assert files_below(own_home) == {}
    assert not program.store.exists()


def test_in_a_project_everything_is_in_the_project(program: Program, own_home: Path) -> None:
    program("setup", "--scope", "project")
    assert files_below(own_home) == {}
    made = {str(file.relative_to(Path.cwd())) for file in Path.cwd().rglob("*") if file.is_file()}
    before = {file for file in made if file.startswith(".git/")}
    assert {".mcp.json", ".claude/settings.json", ".claude/skills/everfact/SKILL.md", ".codex/config.toml"} <= made
    program("mcp", "uninstall", "--scope", "project")
    assert {str(file.relative_to(Path.cwd())) for file in Path.cwd().rglob("*") if file.is_file()} == before


@HAVE_HOOKS
def test_hooks_of_others_stay_and_ours_go_without_a_trace(program: Program, own_home: Path, hooks: Any) -> None:
    theirs = {"matcher": "x", "hooks": [{"type": "command", "command": "everfact-like hook --client"}]}
    both = {
        "hooks": [
            {"type": "command", "command": "echo"},
            {"type": "command", "command": "everfact hook Stop --client claude"},
        ]
    }
    file = hooks_file(own_home, hooks.client)
    file.parent.mkdir(exist_ok=True)
    data = {"a": 1, "hooks": {hooks.events[0]: [theirs, both], "Other": [theirs]}}
    file.write_text(json.dumps(data, indent=3), encoding="utf-8")
    before = file.read_bytes()
    program("mcp", "install", hooks.client, "--hooks")
    held = json.loads(file.read_bytes())["hooks"]
    assert held[hooks.events[0]][:2] == [theirs, both]
    assert held["Other"] == [theirs]
    assert [len(held[event]) for event in hooks.events] == [3, 1, 1, 1, 1]
    changed = file.read_bytes().replace(b'"a": 1', b'"a": 2')
    file.write_bytes(changed)
    program("mcp", "uninstall", hooks.client)
    assert file.read_bytes() == before.replace(b'"a": 1', b'"a": 2')


@HAVE_HOOKS
def test_hooks_of_a_former_version_are_replaced(program: Program, own_home: Path, hooks: Any) -> None:
    program("mcp", "install", hooks.client, "--hooks")
    file = hooks_file(own_home, hooks.client)
    now = json.loads(file.read_bytes())
    old = json.dumps(now).replace("--part 1/4", "--part 1/2")
    stale = json.loads(old)
    stale["hooks"]["Gone"] = stale["hooks"][hooks.events[1]]
    stale["hooks"][hooks.events[2]] = [*stale["hooks"][hooks.events[2]] * 3, {"hooks": []}]
    file.write_text(json.dumps(stale), encoding="utf-8")
    program("mcp", "install", hooks.client, "--hooks")
    now["hooks"][hooks.events[2]].append({"hooks": []})
    assert json.loads(file.read_bytes()) == now


@HAVE_HOOKS
def test_hooks_call_this_program_with_its_options(program: Program, own_home: Path, hooks: Any) -> None:
    program("mcp", "install", hooks.client, "--hooks")
    held = json.loads(hooks_file(own_home, hooks.client).read_bytes())["hooks"]
    commands = [shlex.split(hook["command"]) for group in held["SessionStart"] for hook in group["hooks"]]
    assert [words[9] for words in commands] == [f"{part}/{PARTS}" for part in range(1, PARTS + 1)]
    for words in commands:
        assert words[1:8] == ["-P", "-m", "everfact", "hook", "SessionStart", "--client", hooks.says]
        assert words[10:] == ["--store", program.store.as_uri().replace("file", "sqlite"), "--group", "demo"]


def test_a_project_cannot_pass_its_own_code_for_ours(program: Program, own_home: Path) -> None:
    Path("everfact.py").write_text("print('hijacked')", encoding="utf-8")
    program("mcp", "install", "claude-code", "--hooks")
    [entry] = json.loads((own_home / ".claude.json").read_bytes())["mcpServers"].values()
    hook = json.loads(hooks_file(own_home, "claude-code").read_bytes())["hooks"]["Stop"][0]["hooks"][0]["command"]
    for words in ([entry["command"], *entry["args"]], shlex.split(hook)):
        done = subprocess.run(words, input="{}", capture_output=True, text=True, timeout=100, check=False)
        assert (done.returncode, "hijacked" in done.stdout) == (0, False), done.stderr


def test_commands_survive_spaces_in_every_shell() -> None:
    words = ["/home/my name/py'thon", "-m", "everfact", "--group", "a b"]
    assert shlex.split(command_line(words, "linux")) == words
    windows = command_line([r"C:\Program Files\Python\python.exe", "-m", "everfact", "--store", "a&b"], "win32")
    assert windows == '"C:/Program Files/Python/python.exe" -m everfact --store "a&b"'


def test_a_skill_that_somebody_wrote_into_is_left(program: Program, own_home: Path) -> None:
    program("mcp", "install", "claude-code", "--skill")
    file = own_home / ".claude" / "skills" / skill.NAME / "SKILL.md"
    assert file.read_text(encoding="utf-8") == skill.text()
    file.write_text(skill.text() + "\nMine.\n", encoding="utf-8")
    done = program.result("mcp", "uninstall", "claude-code")
    assert (done.exit_code, "it was left" in done.stdout) == (1, True)
    assert file.read_text(encoding="utf-8").endswith("Mine.\n")
    assert not (own_home / ".claude.json").exists()
