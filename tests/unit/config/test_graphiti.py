"""Graphiti's variables and files, and which of their offers are taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from everfact.config import EntityType, graphiti
from everfact.config.settings import KEYS
from everfact.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.config.conftest import Desk


def secret_of(value: object) -> str:
    return value.reveal()  # type: ignore[attr-defined,no-any-return]


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
    loaded = desk.load(GRAPHITI_GROUP_ID="on", CLAUDE_PROJECT_DIR="/srv/app")
    assert loaded.settings.group == "on"
    assert loaded.settings.mcp.project_dir == Path("/srv/app")
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
    path = desk.write(desk.project / "graphiti.config.json", text)
    loaded = desk.load()
    assert len(loaded.warnings) == 1
    assert loaded.warnings[0].startswith(f"{path} {message}")
    assert loaded.warnings[0].endswith("not used")


def test_an_unreadable_graphiti_config_json_is_a_warning(desk: Desk) -> None:
    (desk.project / "graphiti.config.json").mkdir()
    assert "cannot be read" in desk.load().warnings[0]


def test_graphiti_config_json_is_found_at_home_when_the_project_has_none(desk: Desk) -> None:
    path = desk.write(desk.home / ".graphiti" / "graphiti.config.json", '{"resilience": {"episode_timeout": 7}}')
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
