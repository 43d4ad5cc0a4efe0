"""`everfact mcp install`, `uninstall` and `print` on the files of every client, in a home of their own."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.cli.conftest import Program
from typer.testing import CliRunner

from everfact.cli import app
from everfact.errors import EverfactError, NotFound, UsageError
from everfact.install import jsontext
from everfact.install.clients import CLIENTS, Client, find, user_file
from everfact.install.servers import toolset_for

INSTALLED = [client for client in CLIENTS if client.files]
IN_PROJECTS = [client for client in CLIENTS if client.project_file]
OTHERS = {
    ".toml": """\
# mine
model = "o5"   # note

[{key}.other]
command = "x"

# about profiles
[profiles.a]
b = 1
""",
    ".yaml": """\
# mine
MODEL: x   # note

{key}:
  other:
    cmd: x   # note
    args:
    - a

# end
last: [1, 2]
""",
    ".json": """\
// mine
{
\t"first":   1.50, /* note */
\t"{key}": {
\t\t"other": {"command": "x", "args": []}, // o
\t},

\t"last": [1,2] }""",
}


@pytest.fixture(autouse=True)
def alone(own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No client's program is on the path, and the project is an empty one."""
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.setenv("APPDATA", str(own_home / "AppData"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PWD", str(tmp_path / "project"))


def file_of(client: Client) -> Path:
    file = user_file(client)
    assert file
    return file


def sample(file: Path, client: Client) -> bytes:
    kind = ".json" if file.suffix == ".jsonc" else file.suffix
    return OTHERS[kind].replace("{key}", client.key).encode()


def read(file: Path) -> Any:
    text = file.read_text(encoding="utf-8-sig")
    if file.suffix == ".toml":
        return tomllib.loads(text)
    return YAML(typ="safe").load(text) if file.suffix == ".yaml" else jsontext.parse(text)


def files_below(folder: Path) -> dict[str, bytes]:
    ours = folder / ".config" / "everfact"
    return {str(f): f.read_bytes() for f in folder.rglob("*") if f.is_file() and not f.is_relative_to(ours)}


def write(file: Path, content: bytes) -> bytes:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return content


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("client", INSTALLED, ids=lambda client: client.name)
def test_others_stay_a_second_time_changes_nothing_and_uninstalling_gives_the_bytes_back(
    program: Program, client: Client, newline: bytes
) -> None:
    file = file_of(client)
    before = write(file, sample(file, client).replace(b"\n", newline))
    assert "added" in program("mcp", "install", client.name)
    once = file.read_bytes()
    assert "unchanged" in program("mcp", "install", client.name)
    assert file.read_bytes() == once
    lines = before.splitlines(keepends=True)
    kept = [line for line in once.splitlines(keepends=True) if line in lines]
    assert b"".join(kept).count(b"note") == before.count(b"note")
    assert b"\r\n" not in once if newline == b"\n" else b"\n" not in once.replace(b"\r\n", b"")
    data, then = read(file), read_bytes(file, before)
    entry = data[client.key].pop("everfact")
    assert data == then
    assert sys.executable in json.dumps(entry)
    assert "serve" in json.dumps(entry)
    assert "removed" in program("mcp", "uninstall", client.name)
    assert file.read_bytes() == before


def read_bytes(file: Path, content: bytes) -> Any:
    copy = file.with_name(f"copy{file.suffix}")
    copy.write_bytes(content)
    try:
        return read(copy)
    finally:
        copy.unlink()


@pytest.mark.parametrize("client", INSTALLED, ids=lambda client: client.name)
def test_what_others_write_in_between_stays(program: Program, client: Client) -> None:
    file = file_of(client)
    before = write(file, sample(file, client))
    program("mcp", "install", client.name)
    write(file, file.read_bytes().replace(b"note", b"my new note"))
    assert "removed" in program("mcp", "uninstall", client.name)
    assert file.read_bytes() == before.replace(b"note", b"my new note")


@pytest.mark.parametrize("client", INSTALLED, ids=lambda client: client.name)
def test_a_file_that_was_not_there_is_made_for_its_owner_alone_and_goes_again(
    program: Program, client: Client, own_home: Path
) -> None:
    program("mcp", "install", client.name)
    file = file_of(client)
    assert "everfact" in read(file)[client.key]
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    program("mcp", "uninstall", client.name)
    assert files_below(own_home) == {}
    assert not file.parent.exists() or file.parent == own_home


@pytest.mark.parametrize("client", INSTALLED, ids=lambda client: client.name)
@pytest.mark.parametrize("broken", [b"{ not = [ closed", b"\xff\xfe\x00", b"- 1\n- 2\n", b"[]"])
def test_a_broken_file_is_left_alone(program: Program, client: Client, broken: bytes) -> None:
    write(file_of(client), broken)
    for command in ("install", "uninstall"):
        done = program.result("mcp", command, client.name)
        assert done.exit_code == 1
        assert "nothing was changed" in done.stdout
        assert "hint:" in done.stdout
    assert file_of(client).read_bytes() == broken


def test_an_entry_that_cannot_be_put_in_by_lines_is_refused(program: Program) -> None:
    before = write(file_of(find("codex")), b'mcp_servers = { other = { command = "x" } }\n')
    done = program.result("mcp", "install", "codex")
    assert (done.exit_code, file_of(find("codex")).read_bytes()) == (1, before)
    assert "everfact mcp print" in done.stdout


def test_what_would_read_differently_afterwards_is_refused(program: Program) -> None:
    tricky = write(file_of(find("codex")), b'text = """\n[mcp_servers.everfact]\n\n[b]\n"""\n')
    done = program.result("mcp", "install", "codex")
    assert (done.exit_code, "everfact mcp print" in done.stdout) == (1, True)
    assert file_of(find("codex")).read_bytes() == tricky


def test_a_file_that_names_something_twice_is_refused(program: Program) -> None:
    twice = b'{"mcpServers": {"everfact": {"command": "mine"}, "everfact": {"command": "everfact"}}}'
    write(file_of(find("cursor")), twice)
    done = program.result("mcp", "uninstall", "cursor")
    assert (done.exit_code, "everfact stands there twice" in done.stdout) == (1, True)
    assert file_of(find("cursor")).read_bytes() == twice


@pytest.mark.skipif(os.name == "nt", reason="files have no such modes there")
def test_a_read_only_file_is_left_alone_and_other_clients_go_on(program: Program) -> None:
    write(file_of(find("cursor")), b"{}")
    file_of(find("cursor")).chmod(0o444)
    done = program.result("mcp", "install", "cursor", "zed")
    assert done.exit_code == 1
    assert "read-only" in done.stdout
    assert file_of(find("cursor")).read_bytes() == b"{}"
    assert "everfact" in read(file_of(find("zed")))["context_servers"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_place_that_cannot_be_written_leaves_no_trace(program: Program, own_home: Path) -> None:
    (own_home / ".cursor").symlink_to("/proc/nowhere")
    (own_home / ".junie").symlink_to(own_home / ".junie")
    done = program.result("mcp", "install", "cursor", "junie")
    assert done.exit_code == 1
    assert done.stdout.count("nothing was changed") + done.stdout.count("cannot be read") == 2
    assert list((own_home / ".config" / "everfact" / "installed").glob("*")) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_followed_and_modes_kept(program: Program, tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "mcp.json", file_of(find("cursor"))
    before = write(real, b'{"a": 1}')
    real.chmod(0o640)
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    program("mcp", "install", "cursor")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert read(real)["mcpServers"]["everfact"]
    program("mcp", "uninstall", "cursor")
    assert real.read_bytes() == before


@pytest.mark.parametrize("before", [b"", b"\n", b"{}", b"{ }\n", b"{\n}\n", b"\xef\xbb\xbf{}", b'{"mcpServers": {}}'])
def test_files_with_nothing_in_them_are_as_before(program: Program, before: bytes) -> None:
    file = file_of(find("cursor"))
    write(file, before)
    program("mcp", "install", "cursor")
    assert file.read_bytes().startswith(before[:3]) or before != b"\xef\xbb\xbf{}"
    assert read(file)["mcpServers"]["everfact"]
    changed = file.read_bytes() + b"\n"
    write(file, changed)  # somebody else saved it
    program("mcp", "uninstall", "cursor")
    assert read(file) == (read_bytes(file, before) if before.strip() else {})
    write(file, before)
    program("mcp", "install", "cursor")
    program("mcp", "uninstall", "cursor")
    assert file.read_bytes() == before


def test_without_names_claude_code_and_whatever_else_is_here(program: Program, own_home: Path) -> None:
    (own_home / ".cursor").mkdir()
    (own_home / ".junie").mkdir()
    done = program.json("mcp", "install")
    assert [out["client"] for out in done["outcomes"]] == ["claude-code", "cursor", "junie"]
    assert {out["action"] for out in done["outcomes"]} == {"added"}
    done = program.json("mcp", "uninstall")
    assert {(out["client"], out["action"]) for out in done["outcomes"]} == {
        (name, "removed") for name in ("claude-code", "cursor", "junie")
    }
    assert program("mcp", "uninstall") == "nothing to do\n"


def test_a_dry_run_changes_nothing(program: Program, own_home: Path) -> None:
    write(file_of(find("cursor")), b'{"a": 1}')
    before = files_below(own_home)
    assert "dry run" in program("mcp", "install", "--hooks", "--skill", "--dry-run")
    assert files_below(own_home) == before
    program("mcp", "install")
    after = files_below(own_home)
    assert "removed" in program("mcp", "uninstall", "--dry-run")
    assert files_below(own_home) == after


@pytest.mark.parametrize("client", IN_PROJECTS, ids=lambda client: client.name)
def test_a_project_has_its_own_file(program: Program, client: Client, own_home: Path) -> None:
    program("mcp", "install", client.name, "--scope", "project")
    assert "everfact" in read(Path(client.project_file))[client.key]
    assert files_below(own_home) == {}
    program("mcp", "uninstall", client.name, "--scope", "project")
    assert list(Path.cwd().rglob("*")) == []


def test_in_a_project_only_clients_with_files_there_are_chosen(program: Program, own_home: Path) -> None:
    (own_home / ".codeium" / "windsurf").mkdir(parents=True)
    done = program.json("mcp", "install", "--scope", "project")
    assert [(out["client"], out["action"]) for out in done["outcomes"]] == [("claude-code", "added")]


def test_a_client_without_project_files_says_so(program: Program) -> None:
    done = program.result("mcp", "install", "windsurf", "--scope", "project")
    assert (done.exit_code, "no servers in projects" in done.stdout) == (1, True)


@pytest.mark.parametrize("client", [c for c in INSTALLED if c.http], ids=lambda client: client.name)
def test_an_address_in_place_of_a_program(program: Program, client: Client) -> None:
    url = "http://127.0.0.1:8000/mcp"
    program("mcp", "install", client.name, "--http", url)
    entry = json.dumps(read(file_of(client)))
    assert url in entry
    assert sys.executable not in entry
    assert '"$' not in entry
    write(file_of(client), file_of(client).read_bytes() + b"\n")  # so that it is taken back by edits
    program("mcp", "uninstall", client.name)
    assert not (read(file_of(client)) or {}).get(client.key)


def test_what_no_client_can_have_is_refused(program: Program) -> None:
    with pytest.raises(UsageError, match="no address"):
        program("mcp", "install", "--http", "localhost:8000")
    with pytest.raises(UsageError, match="is no address"):
        program("mcp", "install", "--http", "http://[::1")
    with pytest.raises(UsageError, match="holds a password"):
        program("mcp", "install", "--http", "http://ana:hunter2@127.0.0.1/mcp")
    with pytest.raises(UsageError, match="Windsurf has no file here"):
        program("mcp", "uninstall", "windsurf", "--scope", "project")
    with pytest.raises(NotFound, match="no client is called emacs"):
        program("mcp", "install", "emacs")
    with pytest.raises(EverfactError, match="toolset"):
        program("mcp", "install", "--toolset", "nonsense")
    done = program.result("mcp", "install", "claude-desktop", "librechat", "--http", "http://127.0.0.1:1/mcp")
    assert done.exit_code == 1
    assert "connector" in done.stdout
    assert "everfact mcp print librechat" in done.stdout


def test_the_entry_starts_what_this_command_worked_with(program: Program) -> None:
    program("mcp", "install", "cursor", "--toolset", "core,history")
    entry = read(file_of(find("cursor")))["mcpServers"]["everfact"]
    assert entry["command"] == sys.executable
    flags = ["--store", program.store.as_uri().replace("file", "sqlite"), "--group", "demo"]
    assert entry["args"] == ["-P", "-m", "everfact", *flags, "mcp", "serve", "--toolset", "core,history"]


def test_another_toolset_later_updates_the_entry_and_keeps_what_people_added(program: Program) -> None:
    file = file_of(find("cursor"))
    before = write(file, b'{"mcpServers": {"other": {"url": "u"}}}')
    program("mcp", "install", "cursor")
    data = read(file)
    data["mcpServers"]["everfact"]["timeout"] = 9
    write(file, json.dumps(data).encode())
    assert "updated" in program("mcp", "install", "cursor", "--toolset", "history")
    entry = read(file)["mcpServers"]["everfact"]
    assert (entry["timeout"], entry["args"][-1]) == (9, "history")
    program("mcp", "uninstall", "cursor")
    assert read(file) == json.loads(before)


def test_no_password_gets_into_files(own_home: Path) -> None:
    given = ["--store", "neo4j://ana:hunter2@127.0.0.1/db", "mcp", "install", "cursor"]
    with pytest.raises(EverfactError, match="holds a password"):
        CliRunner().invoke(app, given, catch_exceptions=False)
    assert all(b"hunter2" not in content for content in files_below(own_home).values())


GRAPHITI = {
    "command": "uv",
    "args": ["run", "graphiti_mcp_server.py"],
    "env": {"GRAPHITI_GROUP_ID": "main", "OPENAI_API_KEY": "k"},
}


@pytest.mark.parametrize(
    ("name", "entry", "sets"),
    [
        ("graphiti-memory", GRAPHITI, "graphiti,history,tracking"),
        ("graphiti-memory", {"type": "http", "url": "http://localhost:8000/mcp/"}, "graphiti,history,tracking"),
        ("kuzu-memory", {"command": "kuzu-memory", "args": ["mcp"]}, "kuzu"),
        ("mem", {"command": "/x/bin/python", "args": ["-m", "kuzu_memory.mcp.server"]}, "kuzu"),
        ("graphiti", {"command": "graphiti", "args": ["mcp", "serve"]}, "cli"),
    ],
)
def test_an_entry_is_taken_over_with_the_tools_its_users_know_and_given_back(
    program: Program, own_home: Path, name: str, entry: dict[str, Any], sets: str
) -> None:
    before = write(own_home / ".claude.json", json.dumps({"mcpServers": {"a": {}, name: entry}}, indent=4).encode())
    assert toolset_for(name, entry) == sets
    said = program("mcp", "install", "--replace", name)
    assert "replaced" in said
    assert f"everfact import --from {'kuzu' if sets == 'kuzu' else 'graphiti'}" in said
    servers = read(own_home / ".claude.json")["mcpServers"]
    assert list(servers) == ["a", name]
    assert servers[name]["args"][-2:] == ["--toolset", sets]
    assert servers[name].get("env") == entry.get("env")
    assert program("mcp", "install", "--replace", name).startswith("unchanged")
    write(own_home / ".claude.json", (own_home / ".claude.json").read_bytes().replace(b'"a"', b'"b"'))
    program("mcp", "uninstall")
    assert (own_home / ".claude.json").read_bytes() == before.replace(b'"a"', b'"b"')


def test_an_entry_that_came_after_us_and_was_taken_over_is_given_back_too(program: Program) -> None:
    file = file_of(find("cursor"))
    program("mcp", "install", "cursor")
    data = read(file)
    data["mcpServers"]["graphiti"] = GRAPHITI
    write(file, json.dumps(data, indent=1).encode())
    program("mcp", "install", "cursor", "--replace", "graphiti")
    program("mcp", "install", "cursor", "--replace", "graphiti", "--toolset", "core")
    program("mcp", "uninstall", "cursor")
    assert read(file) == {"mcpServers": {"graphiti": GRAPHITI}}


def test_claude_codes_entry_for_one_folder_is_found_too(program: Program, own_home: Path) -> None:
    here = str(Path.cwd().resolve())
    data = {"projects": {here: {"mcpServers": {"graphiti": GRAPHITI}, "history": []}}}
    before = write(own_home / ".claude.json", json.dumps(data).encode())
    program("mcp", "install", "--replace", "graphiti")
    taken = read(own_home / ".claude.json")["projects"][here]
    assert taken["mcpServers"]["graphiti"]["command"] == sys.executable
    program("mcp", "uninstall", "claude-code")
    assert (own_home / ".claude.json").read_bytes() == before


def test_an_entry_nobody_has_cannot_be_taken_over(program: Program) -> None:
    with pytest.raises(NotFound, match="no client here has a server called graphiti"):
        program("mcp", "install", "--replace", "graphiti")
    done = program.result("mcp", "install", "cursor", "--replace", "graphiti")
    assert (done.exit_code, "no server called graphiti" in done.stdout) == (1, True)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_an_entry_can_be_printed_for_every_client(program: Program, client: Client) -> None:
    printed = program.json("mcp", "print", client.name)
    assert printed["entry"]
    assert client.key in printed["text"]
    assert printed["text"] in program("mcp", "print", client.name) + "\n"


def test_a_receipt_that_cannot_be_read_stops_everything(program: Program, own_home: Path) -> None:
    program("mcp", "install", "cursor")
    [note] = (own_home / ".config" / "everfact" / "installed").glob("*.json")
    note.write_text("{", encoding="utf-8")
    done = program.result("mcp", "uninstall", "cursor")
    assert (done.exit_code, "cannot be read" in done.stdout) == (1, True)


def test_a_program_that_writes_all_the_time_is_not_overwritten(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    from everfact.install.configfile import ConfigFile

    file = file_of(find("cursor"))
    write(file, b"{}")
    check: Callable[[ConfigFile], None] = ConfigFile._check_writable

    def writing(self: ConfigFile) -> None:
        check(self)
        write(file, file.read_bytes() + b" ")

    monkeypatch.setattr(ConfigFile, "_check_writable", writing)
    done = program.result("mcp", "install", "cursor")
    assert (done.exit_code, "changes all the time" in done.stdout) == (1, True)
    assert file.read_bytes().strip() == b"{}"
