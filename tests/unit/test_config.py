"""Settings: what may be set, which source wins, what the errors say. Never the real environment or home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from typer.testing import CliRunner

from everfact.cli.config import app
from everfact.config import EntityType, Loaded, Places, Settings, address, graphiti, load
from everfact.config.settings import KEYS, SECTIONS
from everfact.errors import ConfigError, UsageError


class Desk:
    """A project, a home and an environment of its own, and nothing set."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.home = root / "home"
        self.places = Places(home=self.home, user_file=root / "user" / "config.toml", data_dir=root / "data")
        self.environ: dict[str, str] = {}
        for folder in (self.project, self.home, self.places.user_file.parent):
            folder.mkdir()

    def load(self, flags: Mapping[str, str] | None = None, /, **environ: str) -> Loaded:
        environ = self.environ | environ
        return load(flags, environ=environ, project=self.project, places=self.places)

    def settings(self, **environ: str) -> Settings:
        return self.load(**environ).settings

    def write_project(self, text: str) -> Path:
        return write(self.project / ".everfact.toml", text)

    def write_user(self, text: str) -> Path:
        return write(self.places.user_file, text)

    def write_json(self, tree: object) -> Path:
        return write(self.project / "graphiti.config.json", json.dumps(tree))

    def write_yaml(self, text: str) -> Path:
        path = write(self.project / "graphiti.yaml", text)
        self.environ["CONFIG_PATH"] = str(path)
        return path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


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


def test_the_defaults_are_those_the_spec_names(desk: Desk) -> None:
    given = {row.key: row.value for row in desk.load().show()}
    named = {
        "group": "",
        "mcp.context_tokens": "8192",
        "mcp.toolsets": "",
        "mcp.wrap_results": "false",
        "mcp.export_root": "",
        "capture.every_turns": "8",
        "session_tracking.enabled": "false",
        "session_tracking.inactivity_timeout": "300",
        "session_tracking.check_interval": "60",
        "session_tracking.filter.user_messages": "FULL",
        "session_tracking.filter.agent_messages": "FULL",
        "session_tracking.filter.tool_calls": "SUMMARY",
        "session_tracking.filter.tool_content": "SUMMARY",
        "resilience.episode_timeout": "60",
        "resilience.max_attempts": "5",
        "resilience.backoff_initial": "1",
        "resilience.backoff_max": "300",
        "llm.daily_limit_usd": "",
    }
    assert {key: given[key] for key in named} == named


def test_every_key_says_what_it_means() -> None:
    assert [key.name for key in KEYS.values() if not key.description] == []
    assert {"mcp", "session_tracking", "session_tracking.filter"} <= SECTIONS


def test_settings_are_frozen_and_closed() -> None:
    made = Settings(store="/x/memory.db")
    with pytest.raises(ValidationError):
        made.group = "other"
    with pytest.raises(ValidationError):
        Settings(store="/x/memory.db", colour="red")  # type: ignore[call-arg]


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
def test_the_highest_layer_that_sets_a_key_wins_and_is_named(chosen: set[str]) -> None:
    with TemporaryDirectory() as root:
        desk = Desk(Path(root))
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


def test_flags_are_called_as_the_command_line_calls_them(desk: Desk) -> None:
    loaded = desk.load({"store": "/x/a.db", "mcp.toolsets": "core,history", "mcp.project_dir": "/x"})

    assert loaded.settings.mcp.toolsets == ("core", "history")
    assert loaded.sources["store"] == "flag --store"
    assert loaded.sources["mcp.toolsets"] == "flag --toolset"
    assert loaded.sources["mcp.project_dir"] == "flag --project"


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


def test_numbers_and_booleans_are_read_from_text(desk: Desk) -> None:
    made = desk.settings(
        EVERFACT_SESSION_TRACKING__ENABLED="yes",
        EVERFACT_SESSION_TRACKING__CHECK_INTERVAL="0.5",
        EVERFACT_SESSION_TRACKING__FILTER__TOOL_CALLS="omit",
        EVERFACT_LLM__DAILY_LIMIT_USD="2",
    )
    assert made.session_tracking.enabled is True
    assert made.session_tracking.check_interval == 0.5
    assert made.session_tracking.filter.tool_calls == "OMIT"
    assert made.llm.daily_limit_usd == 2


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


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("mcp.context_tokens = 'many'", "mcp.context_tokens", "valid integer"),
        ("mcp.context_tokens = true", "mcp.context_tokens", "should be a number"),
        ("mcp.context_tokens = 0", "mcp.context_tokens", "greater than or equal to 1"),
        ("mcp.toolsets = ['cores']", "mcp.toolsets.0", "'core', 'graphiti'"),
        ("mcp.export_root = 5", "mcp.export_root", "should be a path"),
        ("capture.every_turns = 0", "capture.every_turns", "greater than or equal to 1"),
        ("session_tracking.enabled = 'perhaps'", "session_tracking.enabled", "valid boolean"),
        ("session_tracking.filter.tool_calls = 'SOME'", "session_tracking.filter.tool_calls", "'SUMMARY'"),
        ("session_tracking.filter.tool_calls = 1", "session_tracking.filter.tool_calls", "'SUMMARY'"),
        ("resilience.episode_timeout = 0", "resilience.episode_timeout", "greater than 0"),
        ("resilience.episode_timeout = inf", "resilience.episode_timeout", "finite"),
        ("resilience.backoff_max = 0.5", "resilience.backoff_max", "at least resilience.backoff_initial"),
        ("llm.base_url = 'ftp://x'", "llm.base_url", "http:// or https://"),
        ("llm.base_url = 'https://'", "llm.base_url", "http:// or https://"),
        ("llm.base_url = 'https://me:pw@host/v1'", "llm.base_url", "should not hold a login"),
        ("llm.daily_limit_usd = -1", "llm.daily_limit_usd", "greater than or equal to 0"),
        ("llm.daily_limit_usd = nan", "llm.daily_limit_usd", "finite|greater"),
        ("embedder.model = ''", "embedder.model", "at least 1 character"),
        ("group = 'a b'", "group", "only letters, digits, _ and -"),
        ('group = "a\\n"', "group", "only letters, digits, _ and -"),
        ("group = 5", "group", "valid string"),
        ("store = 5", "store", "valid string"),
        ("[[entity_types]]\nname = 'A'", "entity_types.0.description", "is missing"),
        ("entity_types = [{name = '1', description = ''}]", "entity_types.0.name", "start with a letter"),
        ("entity_types = [{name = 'A', description = '', x = 1}]", "entity_types.0.x", "is not known there"),
    ],
)
def test_a_wrong_value_names_key_file_and_what_is_expected(desk: Desk, text: str, key: str, expected: str) -> None:
    path = desk.write_project(text)
    with pytest.raises(ConfigError, match=expected) as caught:
        desk.load()
    assert str(caught.value).startswith(f"{key} from {path} ")


def test_the_longest_wait_is_checked_even_when_only_the_first_was_set(desk: Desk) -> None:
    with pytest.raises(ConfigError, match=r"resilience\.backoff_max from default should be at least"):
        desk.load(EVERFACT_RESILIENCE__BACKOFF_INITIAL="301")


def test_every_wrong_value_is_reported_at_once(desk: Desk) -> None:
    with pytest.raises(ConfigError) as caught:
        desk.load({"mcp.context_tokens": "x"}, EVERFACT_CAPTURE__EVERY_TURNS="y")
    assert "mcp.context_tokens from flag --mcp-context-tokens should be" in str(caught.value)
    assert "capture.every_turns from variable EVERFACT_CAPTURE__EVERY_TURNS should be" in str(caught.value)


def test_two_entity_types_of_one_name_are_an_error(desk: Desk) -> None:
    one = "{name = 'A', description = 'x'}"
    desk.write_project(f"entity_types = [{one}, {one}]")
    with pytest.raises(ConfigError, match="should name each type once"):
        desk.load()


def test_a_wrong_value_that_a_higher_layer_replaces_does_no_harm(desk: Desk) -> None:
    desk.write_user("mcp.context_tokens = 'many'")
    assert desk.settings(EVERFACT_MCP__CONTEXT_TOKENS="5").mcp.context_tokens == 5


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
    file = write(desk.home / "file", "")
    desk.places = Places(home=desk.home, user_file=file / "config.toml", data_dir=desk.home)
    assert desk.settings().group == ""


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("/x/memory.db", "sqlite:///x/memory.db"),
        ("sqlite:///x/memory.db", "sqlite:///x/memory.db"),
        ("SQLite:///x/memory.db", "sqlite:///x/memory.db"),
        ("sqlite:///C:/x/memory.db", "sqlite:///C:/x/memory.db"),
        ("falkordb://host:6379", "falkordb://host:6379"),
        ("redis://host:6379/0", "falkordb://host:6379/0"),
        ("neo4j://host", "neo4j://host"),
        ("neo4j+s://host:7687", "neo4j+s://host:7687"),
        ("neo4j+ssc://host", "neo4j+ssc://host"),
        ("bolt://[::1]:7687", "bolt://[::1]:7687"),
        ("bolt+s://host", "bolt+s://host"),
        ("BOLT+SSC://host", "bolt+ssc://host"),
    ],
)
def test_a_store_has_one_canonical_address(desk: Desk, written: str, canonical: str) -> None:
    made = desk.settings(EVERFACT_STORE=written)
    assert made.store == canonical
    assert Settings(store=canonical).store == canonical


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("mysql://host/db", "should be a path, sqlite:///path, falkordb://host, neo4j://host or bolt://host"),
        ("rediss://host", "should be a path"),
        ("bolt:host", "should be a path"),
        ("sqlite:memory.db", "should be sqlite:/// and an absolute path"),
        ("sqlite://memory.db", "should be sqlite:/// and an absolute path"),
        ("sqlite:///", "should be sqlite:/// and an absolute path"),
        ("neo4j://", "names no host"),
        ("neo4j://host:seven", "has a host or a port that cannot be read"),
        ("neo4j://user:sec/ret@host", "has a host or a port that cannot be read"),
        ("neo4j://user:1/secret@host", "should not hold a login"),
    ],
)
def test_any_other_address_is_an_error_that_does_not_repeat_it(desk: Desk, written: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"store from variable EVERFACT_STORE {message}") as caught:
        desk.load(EVERFACT_STORE=written)
    assert "secret" not in str(caught.value)
    assert "sec/ret" not in str(caught.value)


def test_an_empty_address_is_an_error_in_a_file(desk: Desk) -> None:
    desk.write_project('store = ""')
    with pytest.raises(ConfigError, match="should be a path"):
        desk.load()


def test_settings_made_by_hand_take_a_plain_path_but_no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings(store="memory.db").store_file == Path.cwd() / "memory.db"
    with pytest.raises(ValidationError, match="should not hold a login") as caught:
        Settings(store="neo4j://user:secret@host")
    assert "secret" not in str(caught.value)


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


@pytest.mark.parametrize("written", ["~/memory.db", "sqlite:///~/memory.db"])
def test_a_tilde_is_the_home_directory(desk: Desk, written: str) -> None:
    assert desk.settings(EVERFACT_STORE=written).store_file == desk.home / "memory.db"


def test_only_an_sqlite_store_has_a_file() -> None:
    assert Settings(store="neo4j://host").store_file is None
    assert Settings(store="sqlite:///C:/x/memory.db").store_file == Path("C:/x/memory.db")


def test_the_kind_of_a_store_is_told_by_its_address() -> None:
    kinds = [address.kind_of(store) for store in ("a.db", "sqlite:///a", "bolt://h", "redis://h", "mysql://h")]
    assert kinds == ["sqlite", "sqlite", "neo4j", "falkordb", ""]


def test_a_login_in_the_address_moves_to_its_own_keys(desk: Desk) -> None:
    loaded = desk.load({"store": "neo4j://me:p%40ss@host:7687"}, EVERFACT_STORE_PASSWORD="other")

    assert loaded.settings.store == "neo4j://host:7687"
    assert loaded.settings.store_user == "me"
    assert loaded.settings.store_password is not None
    assert loaded.settings.store_password.get_secret_value() == "p@ss"
    assert loaded.sources["store_user"] == loaded.sources["store_password"] == "flag --store"


def test_an_address_with_only_a_user_leaves_the_password_to_its_key(desk: Desk) -> None:
    loaded = desk.load({"store": "neo4j://me@host"}, EVERFACT_STORE_PASSWORD="pw")
    assert loaded.settings.store_user == "me"
    assert loaded.sources["store_password"] == "variable EVERFACT_STORE_PASSWORD"


SECRET = "hunter2-do-not-show"


def test_no_secret_is_ever_shown(desk: Desk) -> None:
    loaded = desk.load(
        {"store": f"neo4j://me:{SECRET}@host"},
        EVERFACT_LLM__API_KEY=SECRET,
        EVERFACT_EMBEDDER__API_KEY=SECRET,
    )
    assert SECRET not in repr(loaded)
    assert SECRET not in str(loaded.settings)
    assert SECRET not in repr(loaded.show())
    assert SECRET not in loaded.settings.model_dump_json()
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


def test_a_secret_in_the_user_file_is_fine(desk: Desk) -> None:
    desk.write_user(f'llm.api_key = "{SECRET}"')
    assert desk.load().warnings == ()


def secret_of(value: object) -> str:
    return value.get_secret_value()  # type: ignore[attr-defined,no-any-return]


def test_neo4j_variables_choose_the_store(desk: Desk) -> None:
    loaded = desk.load(NEO4J_URI="bolt://db:7687", NEO4J_USER="neo", NEO4J_PASSWORD="1", NEO4J_DATABASE="facts")

    assert loaded.settings.store == "bolt://db:7687"
    assert loaded.settings.store_user == "neo"
    assert secret_of(loaded.settings.store_password) == "1"
    assert loaded.settings.store_database == "facts"
    assert loaded.sources["store"] == "variable NEO4J_URI"


def test_falkordb_variables_choose_the_store(desk: Desk) -> None:
    made = desk.settings(FALKORDB_URI="redis://:pw@db:6379", FALKORDB_USERNAME="f", FALKORDB_DATABASE="g")

    assert made.store == "falkordb://db:6379"
    assert made.store_user == "f"
    assert secret_of(made.store_password) == "pw"
    assert made.store_database == "g"


def test_our_own_store_wins_over_graphitis_and_takes_only_its_own_kind_of_login(desk: Desk) -> None:
    graphitis = {"NEO4J_URI": "bolt://me:no@db", "NEO4J_PASSWORD": "pw", "FALKORDB_PASSWORD": "other"}

    local = desk.settings(EVERFACT_STORE="/x/memory.db", **graphitis)
    server = desk.settings(EVERFACT_STORE="neo4j://prod", **graphitis)

    assert local.store == "sqlite:///x/memory.db"
    assert local.store_password is None
    assert server.store == "neo4j://prod"
    assert server.store_user is None
    assert secret_of(server.store_password) == "pw"


def test_a_graphiti_password_without_an_address_chooses_nothing(desk: Desk) -> None:
    made = desk.settings(NEO4J_USER="neo4j", NEO4J_PASSWORD="pw")
    assert made.store_file == desk.places.data_dir / "memory.db"
    assert made.store_password is None


def test_two_graphiti_addresses_are_settled_as_graphiti_does_with_a_warning(desk: Desk) -> None:
    loaded = desk.load(NEO4J_URI="bolt://n", FALKORDB_URI="redis://f", NEO4J_PASSWORD="pw")
    assert loaded.settings.store == "falkordb://f"
    assert loaded.settings.store_password is None
    assert len(loaded.warnings) == 1
    assert "EVERFACT_STORE decides" in loaded.warnings[0]


def test_two_graphiti_addresses_are_settled_by_the_file_that_chooses(desk: Desk) -> None:
    desk.write_json({"database": {"backend": "neo4j"}})
    loaded = desk.load(NEO4J_URI="bolt://n", FALKORDB_URI="redis://f")
    assert loaded.settings.store == "bolt://n"
    assert loaded.warnings == ()


@pytest.mark.parametrize("uri", ["myhost", "redis://db:6379", "localhost:7687"])
def test_a_graphiti_address_of_another_kind_is_an_error(desk: Desk, uri: str) -> None:
    with pytest.raises(ConfigError, match="store from variable NEO4J_URI is no address of a neo4j server"):
        desk.load(NEO4J_URI=uri)


def test_having_a_key_spends_nothing(desk: Desk) -> None:
    made = desk.settings(OPENAI_API_KEY="sk", ANTHROPIC_API_KEY="sk-ant", VOYAGE_API_KEY="v")
    assert made.llm.model == ""
    assert secret_of(made.llm.api_key) == "sk"
    assert made.embedder.model == "wordllama"
    assert made.embedder.api_key is None


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("gpt-5.5", "openai-key"),
        ("openai:claude-by-proxy", "openai-key"),
        ("gpt-oss:20b", "openai-key"),
        ("claude-sonnet-5", "anthropic-key"),
        ("Anthropic:anything", "anthropic-key"),
        ("gemini-3-pro", "google-key"),
        ("google:gemma", "google-key"),
        ("groq:llama-4", "groq-key"),
        ("ollama:llama-4", None),
    ],
)
@pytest.mark.parametrize("variable", ["MODEL_NAME", "EVERFACT_LLM__MODEL"])
def test_the_model_decides_which_key_is_used(desk: Desk, model: str, key: str | None, variable: str) -> None:
    keys = {f"{name.upper()}_API_KEY": f"{name}-key" for name in ("openai", "anthropic", "google", "groq")}

    made = desk.settings(**keys, **{variable: model}, OPENAI_BASE_URL="https://proxy/v1")

    assert made.llm.model == model
    assert (secret_of(made.llm.api_key) if made.llm.api_key else None) == key
    assert made.llm.base_url == ("https://proxy/v1" if key == "openai-key" else None)


def test_the_embedder_takes_the_key_of_its_own_provider(desk: Desk) -> None:
    keys = {"OPENAI_API_KEY": "sk", "VOYAGE_API_KEY": "vk", "GEMINI_API_KEY": "gk"}
    urls = {"OPENAI_API_URL": "https://one", "OPENAI_BASE_URL": "https://two"}

    openai = desk.settings(**keys, **urls, EMBEDDER_MODEL="text-embedding-3-small").embedder
    voyage = desk.settings(**keys, **urls, EMBEDDER_MODEL="voyage-4").embedder

    assert (secret_of(openai.api_key), openai.base_url) == ("sk", "https://one")
    assert (secret_of(voyage.api_key), voyage.base_url) == ("vk", None)


def test_the_group_and_the_clients_project_come_from_their_variables(desk: Desk) -> None:
    loaded = desk.load(GRAPHITI_GROUP_ID="on", CLAUDE_PROJECT_DIR="/work/app")
    assert loaded.settings.group == "on"
    assert loaded.settings.mcp.project_dir == Path("/work/app")
    assert loaded.sources["mcp.project_dir"] == "variable CLAUDE_PROJECT_DIR"


def test_empty_graphiti_variables_count_as_not_given(desk: Desk) -> None:
    assert set(desk.load(**{row[0]: "" for row in graphiti.VARIABLES}).sources.values()) == {"default"}


def test_every_graphiti_variable_sets_a_key_that_exists() -> None:
    assert {key for _, key, _ in graphiti.VARIABLES} <= set(KEYS)


def test_the_sections_of_graphiti_config_json_are_mapped(desk: Desk) -> None:
    path = desk.write_json(
        {
            "database": {
                "backend": "neo4j",
                "neo4j": {"uri": "neo4j+s://db", "user": "me", "password_env": "DB_PW", "database": None},
                "falkordb": {"uri": "redis://other", "password": 7},
            },
            "llm": {
                "provider": "anthropic",
                "default_model": "claude-sonnet-5",
                "openai": {"api_key_env": "OPENAI_API_KEY", "base_url": "https://no"},
                "anthropic": {"api_key_env": "MY_KEY"},
            },
            "session_tracking": {
                "enabled": True,
                "watch_path": "~/transcripts",
                "inactivity_timeout": 120,
                "check_interval": None,
                "filter": {"tool_calls": True, "tool_content": False, "user_messages": "summary"},
            },
            "resilience": {"episode_timeout": 90},
        }
    )
    loaded = desk.load(DB_PW="1", MY_KEY="sk-ant", OPENAI_API_KEY="sk")
    made = loaded.settings

    assert (made.store, made.store_user, made.store_database) == ("neo4j+s://db", "me", None)
    assert secret_of(made.store_password) == "1"
    assert loaded.sources["store_password"] == f"{path} (variable DB_PW)"
    assert (made.llm.model, secret_of(made.llm.api_key), made.llm.base_url) == ("claude-sonnet-5", "sk-ant", None)
    assert made.session_tracking.enabled is True
    assert made.session_tracking.watch_path == desk.home / "transcripts"
    assert made.session_tracking.inactivity_timeout == 120
    assert made.session_tracking.check_interval == 60
    assert made.session_tracking.filter.tool_calls == "FULL"
    assert made.session_tracking.filter.tool_content == "OMIT"
    assert made.session_tracking.filter.user_messages == "SUMMARY"
    assert made.resilience.episode_timeout == 90
    assert loaded.warnings == ()


def test_a_login_outside_the_databases_own_part_holds_for_the_chosen_database(desk: Desk) -> None:
    desk.write_json({"database": {"backend": "neo4j", "uri": "bolt://db", "username": "me", "password": 1234}})
    assert secret_of(desk.settings().store_password) == "1234"
    assert desk.settings(EVERFACT_STORE="falkordb://f").store_password is None


def test_a_database_named_only_by_its_address_is_understood(desk: Desk) -> None:
    desk.write_json({"database": {"uri": "redis://db", "password": "pw"}})
    assert desk.settings().store == "falkordb://db"
    assert secret_of(desk.settings().store_password) == "pw"
    assert desk.settings(EVERFACT_STORE="bolt://n").store_password is None


def test_a_login_without_database_or_address_follows_our_own_store(desk: Desk) -> None:
    desk.write_json({"database": {"password": "pw"}})
    assert secret_of(desk.settings(EVERFACT_STORE="bolt://n").store_password) == "pw"


@pytest.mark.parametrize(
    ("backend", "uri"), [("neo4j", "bolt://localhost:7687"), ("falkordb", "falkordb://localhost:6379")]
)
def test_a_database_without_address_is_where_graphiti_looks_for_it(desk: Desk, backend: str, uri: str) -> None:
    path = desk.write_json({"database": {"backend": backend}})
    loaded = desk.load()
    assert loaded.settings.store == uri
    assert loaded.sources["store"] == str(path)


def test_a_database_everfact_cannot_open_is_an_error_unless_a_store_is_set(desk: Desk) -> None:
    path = desk.write_json({"database": {"backend": "neptune"}})
    with pytest.raises(ConfigError, match=r"chooses the database neptune.*set EVERFACT_STORE") as caught:
        desk.load()
    assert str(path) in str(caught.value)
    assert desk.settings(EVERFACT_STORE="/x/a.db").store == "sqlite:///x/a.db"
    assert desk.settings(NEO4J_URI="bolt://n").store == "bolt://n"


def test_a_model_keeps_the_provider_its_name_does_not_tell(desk: Desk) -> None:
    desk.write_json({"llm": {"provider": "groq", "default_model": "llama-4", "api_key": "gsk", "api_url": "https://g"}})
    made = desk.settings(OPENAI_API_KEY="sk")
    assert made.llm.model == "groq:llama-4"
    assert secret_of(made.llm.api_key) == "gsk"
    assert made.llm.base_url == "https://g"
    assert desk.settings(MODEL_NAME="llama-5").llm.model == "groq:llama-5"


def test_a_key_of_no_provider_holds_for_any_model(desk: Desk) -> None:
    desk.write_json({"llm": {"default_model": "claude-5", "api_key": "k"}})
    assert secret_of(desk.settings().llm.api_key) == "k"


def test_unknown_keys_of_a_foreign_file_are_one_warning(desk: Desk) -> None:
    path = desk.write_json(
        {
            "version": "1.0",
            "embedder": {"provider": "openai", "model": "text-embedding-3-small"},
            "llm": {"temperature": 0.1, "openai": {"deep": {"er": {"est": 1}}}},
            "database": "neo4j",
            "resilience": {"max_retries": 3, "episode_timeout": 5},
            "session_tracking": None,
        }
    )
    loaded = desk.load()
    assert loaded.warnings == (
        f"{path}: not used by everfact: version, embedder, llm.temperature, llm.openai.deep.er, database, "
        "resilience.max_retries",
    )
    assert loaded.settings.resilience.episode_timeout == 5
    assert loaded.settings.embedder.model == "wordllama"


def test_a_wrong_value_in_a_foreign_file_is_an_error(desk: Desk) -> None:
    path = desk.write_json({"session_tracking": {"check_interval": "often"}})
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert str(caught.value).startswith(f"session_tracking.check_interval from {path} should be")


@pytest.mark.parametrize(("text", "message"), [("{", "is not valid JSON"), ("[]", "holds no JSON object")])
def test_a_broken_graphiti_config_json_is_a_warning(desk: Desk, text: str, message: str) -> None:
    path = write(desk.project / "graphiti.config.json", text)
    loaded = desk.load()
    assert len(loaded.warnings) == 1
    assert loaded.warnings[0].startswith(f"{path} {message}")
    assert loaded.warnings[0].endswith("not used")


def test_an_unreadable_graphiti_config_json_is_a_warning(desk: Desk) -> None:
    (desk.project / "graphiti.config.json").mkdir()
    assert "cannot be read" in desk.load().warnings[0]


def test_graphiti_config_json_is_found_at_home_when_the_project_has_none(desk: Desk) -> None:
    path = write(desk.home / ".graphiti" / "graphiti.config.json", '{"resilience": {"episode_timeout": 7}}')
    assert desk.load().sources["resilience.episode_timeout"] == str(path)

    nearer = desk.write_json({"resilience": {"max_attempts": 2}})
    loaded = desk.load()
    assert loaded.sources["resilience.max_attempts"] == str(nearer)
    assert loaded.sources["resilience.episode_timeout"] == "default"


def test_graphiti_config_json_is_the_same_in_every_folder_of_a_repository(desk: Desk) -> None:
    (desk.project / ".git").mkdir()
    desk.write_json({"database": {"backend": "neo4j"}})
    desk.project = desk.project / "src"
    assert desk.settings().store == "bolt://localhost:7687"


SERVER_YAML = """\
server:
  transport: http
llm:
  provider: openai
  model: ${MODEL_NAME:gpt-5.5}
  max_tokens: 4096
  providers:
    openai:
      api_key: ${SOME_KEY}
      api_url: ${SOME_URL:https://api.example/v1}
embedder:
  provider: google
  model: embedding-9
  providers:
    gemini:
      api_key: gk-${SUFFIX:0}
database:
  provider: neo4j
  providers:
    falkordb:
      uri: redis://f
    neo4j:
      uri: ${DB_URI:bolt://db:7687}
      username: ~
      password: ${DB_PASSWORD}
      database: null
graphiti:
  group_id: ${GROUP:on}
  user_id: ${USER_ID:}
  entity_types:
    - name: Service
      description: ${WHAT:Something that runs}
      colour: red
"""


def test_the_yaml_of_graphitis_server_is_mapped(desk: Desk) -> None:
    path = desk.write_yaml(SERVER_YAML)
    loaded = desk.load(SOME_KEY="on", DB_PASSWORD="1", SUFFIX="1")
    made = loaded.settings

    assert (made.llm.model, made.llm.base_url) == ("gpt-5.5", "https://api.example/v1")
    assert secret_of(made.llm.api_key) == "on"
    assert made.embedder.model == "gemini:embedding-9"
    assert secret_of(made.embedder.api_key) == "gk-1"
    assert (made.store, made.store_user, made.store_database) == ("bolt://db:7687", None, None)
    assert secret_of(made.store_password) == "1"
    assert made.group == "on"
    assert made.entity_types == (EntityType(name="Service", description="Something that runs"),)
    assert loaded.sources["store"] == str(path)
    assert loaded.warnings == (f"{path}: not used by everfact: server, llm.max_tokens, graphiti.entity_types.colour",)


def test_an_unset_reference_without_default_is_not_given(desk: Desk) -> None:
    desk.write_yaml(SERVER_YAML)
    made = desk.settings()
    assert made.store_password is None
    assert made.llm.api_key is None


def test_scalars_in_yaml_stay_the_text_they_are_unless_a_number_is_wanted(desk: Desk) -> None:
    desk.write_yaml(
        "database: {provider: neo4j, neo4j: {password: 0123}}\n"
        "graphiti: {group_id: no}\n"
        "session_tracking: {enabled: 'on', check_interval: 5, filter: {tool_calls: true}}\n"
    )
    made = desk.settings()
    assert secret_of(made.store_password) == "0123"
    assert made.group == "no"
    assert made.session_tracking.enabled is True
    assert made.session_tracking.check_interval == 5
    assert made.session_tracking.filter.tool_calls == "FULL"


def test_entity_types_of_the_wrong_shape_are_an_error(desk: Desk) -> None:
    desk.write_yaml("graphiti: {entity_types: [Service]}\n")
    with pytest.raises(ConfigError, match=r"entity_types\.0 from"):
        desk.load()


def test_config_path_may_be_relative(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write_yaml("graphiti: {group_id: here}\n")
    monkeypatch.chdir(desk.project)
    assert desk.settings(CONFIG_PATH="graphiti.yaml").group == "here"


def test_a_file_config_path_names_must_be_there(desk: Desk) -> None:
    with pytest.raises(ConfigError, match=r"CONFIG_PATH names .*absent\.yaml, which is not there"):
        desk.load(CONFIG_PATH=str(desk.project / "absent.yaml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("llm: 1\nllm: hunter2\n", "is not valid YAML: line 2"),
        ("llm: [hunter2\nb: 2", "is not valid YAML: line"),
        ("llm: \x01", "is not valid YAML"),
        ("- hunter2", "holds no settings"),
        ("", "holds no settings"),
    ],
)
def test_a_broken_file_config_path_names_is_an_error_that_quotes_nothing(desk: Desk, text: str, message: str) -> None:
    path = desk.write_yaml(text)
    with pytest.raises(ConfigError) as caught:
        desk.load()
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert "hunter2" not in str(caught.value)


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


def test_importing_config_reads_no_yaml_library_and_no_platform_library() -> None:
    heavy = "{'ruamel.yaml', 'platformdirs', 'rich', 'typer'}"
    code = f"import sys, everfact.config; print({heavy} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


@pytest.fixture
def shell(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for variable in os.environ:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(desk.project)
    monkeypatch.setattr(Places, "of_this_user", lambda: desk.places)
    return desk


def test_config_show_prints_every_key_its_source_and_the_warnings(shell: Desk) -> None:
    shell.write_project(f'group = "g"\nllm.api_key = "{SECRET}"')
    result = CliRunner().invoke(app, ["show"], obj={"store": "/x/[bold]a.db"})

    assert result.exit_code == 0, result.output
    assert [key for key in KEYS if key not in result.output] == []
    assert "sqlite:///x/[bold]a.db" in result.output
    assert "flag --store" in result.output
    assert "warning: " in result.output
    assert SECRET not in result.output


def test_config_show_as_json_has_typed_values(shell: Desk) -> None:
    result = CliRunner().invoke(app, ["show", "--json"], obj={})
    answer = json.loads(result.output)
    assert answer["warnings"] == []
    assert [row["key"] for row in answer["settings"]] == list(KEYS)
    assert {row["key"]: row["value"] for row in answer["settings"]}["mcp.context_tokens"] == 8192


def test_config_get_prints_one_value(shell: Desk) -> None:
    result = CliRunner().invoke(app, ["get", "mcp.context_tokens"], obj={"mcp.context_tokens": "99"})
    assert result.output == "99\n"


def test_config_get_as_json_says_where_the_value_came_from(shell: Desk) -> None:
    result = CliRunner().invoke(app, ["get", "group", "--json"], obj={"group": "g"})
    answer = json.loads(result.output)
    assert (answer["key"], answer["value"], answer["source"]) == ("group", "g", "flag --group")


def test_config_get_of_an_unknown_key_names_the_nearest(shell: Desk) -> None:
    result = CliRunner().invoke(app, ["get", "groups"], obj={})
    assert isinstance(result.exception, UsageError)
    assert "did you mean group?" in str(result.exception)
