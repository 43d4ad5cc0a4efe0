"""Our own sources: flags, variables, TOML files, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from everfact.config import EntityType, Places
from everfact.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.config.conftest import Desk


def test_flags_are_called_as_the_command_line_calls_them(desk: Desk) -> None:
    loaded = desk.load({"store": "/x/a.db", "mcp.toolsets": "core,history", "mcp.project_dir": "/x"})

    assert loaded.settings.mcp.toolsets == ("core", "history")
    assert loaded.sources["store"] == "flag --store"
    assert loaded.sources["mcp.toolsets"] == "flag --toolset"
    assert loaded.sources["mcp.project_dir"] == "flag --project"


def test_the_project_file_is_found_in_a_parent_up_to_the_git_root(desk: Desk) -> None:
    (desk.project / ".git").mkdir()
    desk.write_project('group = "root"')
    desk.project = desk.project / "src" / "deep"
    desk.project.mkdir(parents=True)

    assert desk.settings().group == "root"


def test_the_nearest_project_file_wins(desk: Desk) -> None:
    (desk.project / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    desk.write_project('group = "far"')
    desk.project = desk.project / "src"
    desk.write_project('group = "near"')

    assert desk.settings().group == "near"


def test_no_file_is_taken_from_above_the_git_root_or_outside_a_repository(desk: Desk) -> None:
    desk.write_project('group = "above"')
    desk.project = desk.project / "inner"
    desk.project.mkdir()
    assert desk.settings().group == ""

    (desk.project / ".git").mkdir()
    assert desk.settings().group == ""


def test_lists_in_variables_are_commas_or_json(desk: Desk) -> None:
    assert desk.settings(EVERFACT_MCP__TOOLSETS=" core, kuzu ,").mcp.toolsets == ("core", "kuzu")
    assert desk.settings(EVERFACT_MCP__TOOLSETS='["core", "cli"]').mcp.toolsets == ("core", "cli")
    types = '[{"name": "Service", "description": "Runs", "fields": {"owner": "Team"}}]'
    assert desk.settings(EVERFACT_ENTITY_TYPES=types).entity_types == (
        EntityType(name="Service", description="Runs", fields={"owner": "Team"}),
    )


def test_a_broken_json_list_is_an_error(desk: Desk) -> None:
    with pytest.raises(ConfigError, match=r"mcp.toolsets from variable EVERFACT_MCP__TOOLSETS .* JSON"):
        desk.load(EVERFACT_MCP__TOOLSETS='["core"')


def test_an_empty_variable_counts_as_not_given(desk: Desk) -> None:
    path = desk.write_project('store = "/x/memory.db"\nmcp.context_tokens = 5')

    loaded = desk.load(EVERFACT_STORE="", EVERFACT_MCP__CONTEXT_TOKENS="")

    assert loaded.sources["store"] == loaded.sources["mcp.context_tokens"] == str(path)


def test_an_empty_variable_is_a_choice_where_empty_means_something(desk: Desk) -> None:
    desk.write_project('group = "g"\n[llm]\nmodel = "gpt-5"\n[mcp]\ntoolsets = ["core"]')

    made = desk.settings(EVERFACT_GROUP="", EVERFACT_LLM__MODEL="", EVERFACT_MCP__TOOLSETS="")

    assert (made.group, made.llm.model, made.mcp.toolsets) == ("", "", ())


def test_an_unknown_variable_names_the_nearest_key_and_its_variable(desk: Desk) -> None:
    with pytest.raises(ConfigError) as caught:
        desk.load(EVERFACT_MCP__CONTEXT_TOKEN="5")
    assert str(caught.value) == (
        "unknown key mcp.context_token in variable EVERFACT_MCP__CONTEXT_TOKEN "
        "(did you mean mcp.context_tokens, that is EVERFACT_MCP__CONTEXT_TOKENS?)"
    )


def test_an_unknown_flag_names_the_nearest_key(desk: Desk) -> None:
    with pytest.raises(ConfigError, match=r"unknown key stor in flag --stor \(did you mean store\?\)"):
        desk.load({"stor": "x"})


@pytest.mark.parametrize(
    ("text", "unknown", "nearest"),
    [
        ("context_tokens = 5", "context_tokens", "mcp.context_tokens"),
        ("[mcp]\nwrap_result = true", "mcp.wrap_result", "mcp.wrap_results"),
        ("[resiliance]\nmax_attempts = 3", "resiliance", "resilience."),
        ("[session_tracking.filter]\ntools = 'FULL'", "session_tracking.filter.tools", "session_tracking.filter.tool"),
    ],
)
@pytest.mark.parametrize("whose", ["project", "user"])
def test_an_unknown_key_in_our_files_names_file_and_nearest_key(
    desk: Desk, text: str, unknown: str, nearest: str, whose: str
) -> None:
    path = desk.write_project(text) if whose == "project" else desk.write_user(text)
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert str(caught.value).startswith(f"unknown key {unknown} in {path} (did you mean {nearest}")


def test_a_key_like_no_other_points_to_the_list(desk: Desk) -> None:
    with pytest.raises(ConfigError, match="config show"):
        desk.load(EVERFACT_ZZZZZZ="1")


def test_a_value_where_a_table_belongs_is_an_error(desk: Desk) -> None:
    path = desk.write_project("mcp = 5")
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert str(caught.value) == f"mcp in {path} should be a table: [mcp]"


def test_broken_toml_names_file_and_line(desk: Desk) -> None:
    path = desk.write_user('group = "a"\nmcp = = 5')
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert str(path) in str(caught.value)
    assert "line 2" in str(caught.value)


def test_a_file_that_is_not_utf8_names_file_and_line(desk: Desk) -> None:
    path = desk.write_project("")
    path.write_bytes(b'group = "a"\n# caf\xe9\n')
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert str(caught.value) == f"{path} is not UTF-8 text: line 2"


def test_a_file_with_a_byte_order_mark_is_read(desk: Desk) -> None:
    desk.write_project('\ufeffgroup = "a"')
    assert desk.settings().group == "a"


def test_a_folder_in_place_of_a_file_is_an_error(desk: Desk) -> None:
    (desk.project / ".everfact.toml").mkdir()
    with pytest.raises(ConfigError, match=r"\.everfact\.toml cannot be read"):
        desk.load()


def test_a_user_file_below_something_that_is_no_folder_is_no_file(desk: Desk) -> None:
    file = desk.write(desk.home / "file", "")
    desk.places = Places(home=desk.home, user_file=file / "config.toml", data_dir=desk.home)
    assert desk.settings().group == ""


def test_relative_paths_start_in_the_folder_of_their_file(desk: Desk) -> None:
    desk.write_project('store = "memory.db"\n[mcp]\nexport_root = "out"\n[session_tracking]\nwatch_path = "~/logs"')
    made = desk.settings()
    assert made.store_file == desk.project / "memory.db"
    assert made.mcp.export_root == desk.project / "out"
    assert made.session_tracking.watch_path == desk.home / "logs"


def test_relative_paths_of_flags_and_variables_start_in_the_working_directory(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.home)
    assert desk.load({"store": "a.db"}).settings.store_file == Path.cwd() / "a.db"
    assert desk.settings(EVERFACT_STORE="b/c.db").store_file == Path.cwd() / "b" / "c.db"
    assert desk.settings(EVERFACT_STORE="~").store_file == desk.home


def test_a_login_in_the_address_moves_to_its_own_keys(desk: Desk) -> None:
    loaded = desk.load({"store": "neo4j://me:p%40ss@host:7687"}, EVERFACT_STORE_PASSWORD="other")

    assert loaded.settings.store == "neo4j://host:7687"
    assert loaded.settings.store_user == "me"
    assert loaded.settings.store_password is not None
    assert loaded.settings.store_password.reveal() == "p@ss"
    assert loaded.sources["store_user"] == loaded.sources["store_password"] == "flag --store"


def test_an_address_with_only_a_user_leaves_the_password_to_its_key(desk: Desk) -> None:
    loaded = desk.load({"store": "neo4j://me@host"}, EVERFACT_STORE_PASSWORD="pw")
    assert loaded.settings.store_user == "me"
    assert loaded.sources["store_password"] == "variable EVERFACT_STORE_PASSWORD"
