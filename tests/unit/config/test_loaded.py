"""`load`: which source wins, what is shown of it, what stays secret."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everfact.config import Places, load
from everfact.config.settings import KEYS
from everfact.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from tests.unit.config.conftest import Desk

SECRET = "hunter2-do-not-show"


def test_without_any_config_everything_is_local_and_default(desk: Desk) -> None:
    loaded = desk.load()

    assert loaded.settings.store == f"sqlite://{(desk.places.data_dir / 'memory.db').as_posix()}"
    assert loaded.settings.store_file == desk.places.data_dir / "memory.db"
    assert loaded.settings.session_tracking.watch_path == desk.home / ".claude" / "projects"
    assert loaded.settings.llm.model == ""
    assert loaded.settings.embedder.model == "wordllama"
    assert set(loaded.sources.values()) == {"default"}
    assert list(loaded.sources) == list(KEYS)
    assert loaded.warnings == ()


def test_places_of_this_user_come_from_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    places = Places.of_this_user()

    assert places.home == tmp_path
    assert places.user_file.name == "config.toml"
    assert places.user_file.parent.name == places.data_dir.name == "everfact"


def test_a_user_without_a_home_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(ConfigError, match=r"no home directory.*set HOME"):
        Places.of_this_user()


LAYERS = ("flag", "variable", "project", "user", "graphiti variable", "graphiti.config.json", "CONFIG_PATH")


def set_model(desk: Desk, layer: str, model: str) -> tuple[dict[str, str], str]:
    """Names the model in one layer; answers with the flags to give and the source to expect."""
    match layer:
        case "flag":
            return {"llm.model": model}, "flag --llm-model"
        case "variable":
            desk.environ["EVERFACT_LLM__MODEL"] = model
            return {}, "variable EVERFACT_LLM__MODEL"
        case "project":
            return {}, str(desk.write_project(f'[llm]\nmodel = "{model}"'))
        case "user":
            return {}, str(desk.write_user(f'llm.model = "{model}"'))
        case "graphiti variable":
            desk.environ["MODEL_NAME"] = model
            return {}, "variable MODEL_NAME"
        case "graphiti.config.json":
            return {}, str(desk.write_json({"llm": {"default_model": model}}))
        case _:
            return {}, str(desk.write_yaml(f"llm:\n  model: {model}\n"))


@given(chosen=st.sets(st.sampled_from(LAYERS)))
@settings(max_examples=60, deadline=None)
def test_the_highest_layer_that_sets_a_key_wins_and_is_named(new_desk: Callable[[], Desk], chosen: set[str]) -> None:
    desk = new_desk()
    flags: dict[str, str] = {}
    expected = ("", "default")
    for layer in reversed(LAYERS):
        if layer in chosen:
            model = f"model-of-{LAYERS.index(layer)}"
            more, source = set_model(desk, layer, model)
            flags |= more
            expected = (model, source)

    loaded = desk.load(flags)

    assert (loaded.settings.llm.model, loaded.sources["llm.model"]) == expected


def test_layers_are_merged_key_by_key(desk: Desk) -> None:
    desk.write_user("[mcp]\ncontext_tokens = 1000\nwrap_results = true")
    desk.write_project("mcp.context_tokens = 2000")

    loaded = desk.load(EVERFACT_MCP__EXPORT_ROOT="/srv/out")

    assert loaded.settings.mcp.context_tokens == 2000
    assert loaded.settings.mcp.wrap_results is True
    assert loaded.settings.mcp.export_root == Path("/srv/out")


def test_load_without_arguments_reads_the_process_and_the_working_directory(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in os.environ:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("EVERFACT_GROUP", "from-variable")
    monkeypatch.chdir(desk.project)
    monkeypatch.setattr(Places, "of_this_user", lambda: desk.places)
    path = desk.write_project("capture.every_turns = 3")

    loaded = load()

    assert loaded.settings.group == "from-variable"
    assert loaded.settings.capture.every_turns == 3
    assert loaded.sources["capture.every_turns"] == str(path)


@pytest.mark.parametrize("how", ["flag", "variable"])
def test_an_explicit_project_dir_says_where_the_project_is(desk: Desk, how: str) -> None:
    desk.write_project('group = "found"')
    flags = {"mcp.project_dir": str(desk.project)} if how == "flag" else {}
    environ = {"EVERFACT_MCP__PROJECT_DIR": str(desk.project)} if how == "variable" else {}

    loaded = load(flags, environ=environ, places=desk.places)

    assert loaded.settings.group == "found"


def test_a_relative_project_starts_in_the_working_directory(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write_project('group = "found"')
    monkeypatch.chdir(desk.project.parent)

    assert load(environ={}, project=Path("project"), places=desk.places).settings.group == "found"


def test_a_wrong_value_that_a_higher_layer_replaces_does_no_harm(desk: Desk) -> None:
    desk.write_user("mcp.context_tokens = 'many'")
    assert desk.settings(EVERFACT_MCP__CONTEXT_TOKENS="5").mcp.context_tokens == 5


def test_no_secret_is_ever_shown(desk: Desk) -> None:
    loaded = desk.load(
        {"store": f"neo4j://me:{SECRET}@host"},
        EVERFACT_LLM__API_KEY=SECRET,
        EVERFACT_EMBEDDER__API_KEY=SECRET,
    )
    assert SECRET not in repr(loaded)
    assert SECRET not in str(loaded.settings)
    assert SECRET not in repr(loaded.show())
    assert SECRET not in str(asdict(loaded.settings))
    masked = {row.key for row in loaded.show() if row.value == "********"}
    assert masked == {"store_password", "llm.api_key", "embedder.api_key"}


@pytest.mark.parametrize("text", ["api_key = ['{}']", "base_url = 'https://me:{}@host'", "model = ['{}']"])
def test_no_error_repeats_the_value(desk: Desk, text: str) -> None:
    desk.write_user("[llm]\n" + text.format(SECRET))
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert SECRET not in str(caught.value)
    assert SECRET not in str(caught.value.__cause__)


def test_a_secret_in_the_project_file_is_a_warning(desk: Desk) -> None:
    path = desk.write_project(f'store = "bolt://me:{SECRET}@host"\nllm.api_key = "{SECRET}"')
    loaded = desk.load()
    assert loaded.warnings == (
        f"{path} holds llm.api_key; project files are shared, so give it as EVERFACT_LLM__API_KEY instead",
        f"{path} holds store_password; project files are shared, so give it as EVERFACT_STORE_PASSWORD instead",
    )


ADDRESSES = [
    ("remote", "remote_token"),
    ("llm.base_url", "llm.api_key"),
    ("embedder.base_url", "embedder.api_key"),
]


@pytest.mark.parametrize(("address", "secret"), ADDRESSES)
def test_a_project_file_cannot_say_where_the_users_keys_are_sent(desk: Desk, address: str, secret: str) -> None:
    path = desk.write_project(f'{address} = "http://elsewhere.example/mcp"')
    desk.load()
    desk.write_user(f'{secret} = "{SECRET}"')
    with pytest.raises(ConfigError, match=f"{path} sets {address}, and your {secret}") as caught:
        desk.load()
    assert SECRET not in str(caught.value)
    desk.write_user(f'{secret} = "{SECRET}"\n{address} = "http://mine.example/mcp"')
    desk.project.joinpath(".everfact.toml").unlink()
    desk.load()


@pytest.mark.parametrize(("address", "secret"), ADDRESSES)
def test_the_users_own_word_on_the_address_counts(desk: Desk, address: str, secret: str) -> None:
    desk.write_project(f'{address} = "http://elsewhere.example/mcp"')
    variable = "EVERFACT_" + address.upper().replace(".", "__")
    desk.write_user(f'{secret} = "{SECRET}"')
    desk.load(**{variable: "http://mine.example/mcp"})
    desk.write_project(f'{address} = "http://elsewhere.example/mcp"\n{secret} = "theirs-alone"')
    desk.load()


def test_a_secret_in_the_user_file_is_fine(desk: Desk) -> None:
    desk.write_user(f'llm.api_key = "{SECRET}"')
    assert desk.load().warnings == ()


def test_graphiti_config_json_wins_over_the_yaml_key_by_key(desk: Desk) -> None:
    json_path = desk.write_json({"database": {"backend": "falkordb", "falkordb": {"uri": "redis://j"}}})
    yaml_path = desk.write_yaml("database: {provider: neo4j, falkordb: {uri: 'redis://y', username: y}}\n")
    loaded = desk.load()
    assert (loaded.settings.store, loaded.settings.store_user) == ("falkordb://j", "y")
    assert loaded.sources["store"] == str(json_path)
    assert loaded.sources["store_user"] == str(yaml_path)


def test_show_has_every_key_in_order_with_text_and_data(desk: Desk) -> None:
    desk.write_project(
        '[mcp]\ntoolsets = ["core", "kuzu"]\nwrap_results = true\n'
        '[[entity_types]]\nname = "Service"\ndescription = "Läuft"\n'
    )
    rows = {row.key: row for row in desk.load(EVERFACT_RESILIENCE__BACKOFF_INITIAL="0.25").show()}

    assert list(rows) == list(KEYS)
    assert rows["mcp.toolsets"].value == "core,kuzu"
    assert rows["mcp.toolsets"].data == ["core", "kuzu"]
    assert rows["mcp.wrap_results"].value == "true"
    assert rows["resilience.backoff_initial"].value == "0.25"
    assert rows["llm.api_key"].value == ""
    assert rows["llm.api_key"].data is None
    assert rows["entity_types"].value == '[{"name": "Service", "description": "Läuft", "fields": {}}]'
    assert rows["store"].description == KEYS["store"].description


def test_a_row_that_does_not_exist_names_the_nearest(desk: Desk) -> None:
    with pytest.raises(UsageError, match=r"unknown key mcp.context \(did you mean mcp.context_tokens\?\)"):
        desk.load().row("mcp.context")


def test_importing_config_loads_nothing_but_the_standard_library() -> None:
    # Every command and every hook pays for this import.
    code = (
        "import sys; before = set(sys.modules); import everfact.config; new = set(sys.modules) - before;"
        "print({name.partition('.')[0] for name in new} - sys.stdlib_module_names)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "{'everfact'}"
