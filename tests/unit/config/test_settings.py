"""What may be set: the defaults, and what is said about a value that cannot be."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING

import pytest

from everfact.config import EntityType, Settings, load
from everfact.config.settings import KEYS, SECTIONS, Mcp
from everfact.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.config.conftest import Desk


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
    with pytest.raises(FrozenInstanceError):
        made.group = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Settings(store="/x/memory.db", colour="red")  # type: ignore[call-arg]


def test_settings_made_by_hand_are_checked_as_deep_as_they_go() -> None:
    made = Settings(
        store="/x/memory.db", mcp=Mcp(context_tokens=5), entity_types=(EntityType(name="A", description=""),)
    )
    assert made.mcp.context_tokens == 5
    assert made.entity_types[0].fields == {}
    with pytest.raises(ConfigError, match=r"^context_tokens should be a whole number"):
        Mcp(context_tokens=0)
    with pytest.raises(ConfigError, match=r"^mcp should be a table$"):
        Settings(store="/x/memory.db", mcp=None)  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("mcp.context_tokens = 'many'", "mcp.context_tokens", "whole number"),
        ("mcp.context_tokens = true", "mcp.context_tokens", "whole number"),
        ("mcp.context_tokens = 0", "mcp.context_tokens", "greater than or equal to 1"),
        ("mcp.toolsets = ['cores']", "mcp.toolsets.0", "one of core, graphiti"),
        ("mcp.export_root = 5", "mcp.export_root", "should be a path"),
        ("capture.every_turns = 0", "capture.every_turns", "greater than or equal to 1"),
        ("session_tracking.enabled = 'perhaps'", "session_tracking.enabled", "true or false"),
        ("session_tracking.filter.tool_calls = 'SOME'", "session_tracking.filter.tool_calls", "FULL, SUMMARY, OMIT"),
        ("session_tracking.filter.tool_calls = 1", "session_tracking.filter.tool_calls", "FULL, SUMMARY, OMIT"),
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
        ("group = 5", "group", "should be text"),
        ("store = 5", "store", "should be text"),
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


@pytest.mark.parametrize("one", ["llm.input_price", "llm.output_price"])
def test_prices_are_set_together(one: str) -> None:
    with pytest.raises(ConfigError, match="together"):
        load({one: "1.5"})
