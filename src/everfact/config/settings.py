"""What can be set: names, kinds, ranges, defaults, meanings. Reads nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo

from everfact.config import address

Toolset = Literal["core", "graphiti", "history", "tracking", "cli", "kuzu"]


def _refuse_bool(value: object) -> object:
    # pydantic would read true as 1.
    if isinstance(value, bool):
        raise ValueError("should be a number")  # noqa: TRY004  pydantic turns only ValueError into a finding
    return value


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _check_group(group: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]*", group):
        raise ValueError("should hold only letters, digits, _ and -")
    return group


def _check_type_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ValueError("should start with a letter and hold only letters, digits and _")
    return name


def _check_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme.lower() not in {"http", "https"} or rest.startswith("/") or not rest:
        raise ValueError("should be an http:// or https:// address")
    if "@" in rest:
        raise ValueError("should not hold a login; api_key does")
    return url


Count = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1)]
Seconds = Annotated[float, BeforeValidator(_refuse_bool), Field(gt=0, allow_inf_nan=False)]
Dollars = Annotated[float, BeforeValidator(_refuse_bool), Field(ge=0, allow_inf_nan=False)]
Url = Annotated[str, AfterValidator(_check_url)]
Group = Annotated[str, AfterValidator(_check_group)]
Detail = Annotated[Literal["FULL", "SUMMARY", "OMIT"], BeforeValidator(_upper)]


class Section(BaseModel):
    """Settings that belong together: frozen, closed, and silent about values in its errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Mcp(Section):
    """The MCP server."""

    context_tokens: Count = Field(default=8192, description="Budget of the brief, in tokens of four characters")
    toolsets: tuple[Toolset, ...] = Field(default=(), description="Sets of tools listed; empty: by the program's name")
    wrap_results: bool = Field(default=False, description='Wrap structured results as {"result": …}, as Graphiti does')
    export_root: Path | None = Field(
        default=None, description="Folder below which files may be written over HTTP; unset: none may"
    )
    project_dir: Path | None = Field(
        default=None, description="Folder of the client's project; unset: the working directory"
    )


class Capture(Section):
    """What hooks take from a running session."""

    every_turns: Count = Field(default=8, description="Turns that wait before the Stop hook captures them")


class SessionFilter(Section):
    """How much of each class of message is kept."""

    user_messages: Detail = Field(default="FULL", description="What the person wrote: FULL, SUMMARY or OMIT")
    agent_messages: Detail = Field(default="FULL", description="What the agent wrote: FULL, SUMMARY or OMIT")
    tool_calls: Detail = Field(default="SUMMARY", description="Which tools were called: FULL, SUMMARY or OMIT")
    tool_content: Detail = Field(default="SUMMARY", description="What the tools answered: FULL, SUMMARY or OMIT")


class SessionTracking(Section):
    """Transcripts of coding assistants."""

    enabled: bool = Field(default=False, description="Follow transcripts and remember them")
    watch_path: Path = Field(default=Path("~/.claude/projects"), description="Folder of the transcripts")
    inactivity_timeout: Seconds = Field(default=300, description="Seconds of silence after which a session is indexed")
    check_interval: Seconds = Field(default=60, description="Seconds between two looks for silent sessions")
    filter: SessionFilter = SessionFilter()


class Resilience(Section):
    """What happens when digesting an episode fails."""

    episode_timeout: Seconds = Field(default=60, description="Seconds one attempt at an episode may take")
    max_attempts: Count = Field(default=5, description="Attempts at an episode before it is parked")
    backoff_initial: Seconds = Field(default=1.0, description="Seconds before the second attempt; doubles from there")
    backoff_max: Seconds = Field(
        default=300.0, validate_default=True, description="Longest wait between two attempts, in seconds"
    )

    @field_validator("backoff_max")
    @classmethod
    def _not_below_initial(cls, value: float, info: ValidationInfo) -> float:
        if value < info.data.get("backoff_initial", 0):
            raise ValueError("should be at least resilience.backoff_initial")
        return value


class Llm(Section):
    """The model that extracts facts, if any."""

    model: str = Field(
        default="", description="Model that extracts facts, as name or provider:name; empty: local extraction, no cost"
    )
    base_url: Url | None = Field(
        default=None, description="Address of an OpenAI-compatible endpoint; unset: the provider's own"
    )
    api_key: SecretStr | None = Field(default=None, description="Key for the model's provider")
    daily_limit_usd: Dollars | None = Field(
        default=None, description="Dollars a day the model may cost; unset: no limit"
    )


class Embedder(Section):
    """The model that turns text into vectors."""

    model: str = Field(default="wordllama", min_length=1, description="Model that makes vectors; wordllama is local")
    base_url: Url | None = Field(
        default=None, description="Address of an OpenAI-compatible endpoint; unset: the provider's own"
    )
    api_key: SecretStr | None = Field(default=None, description="Key for the embedder's provider")


class EntityType(Section):
    """A type of entity the user added to those everfact ships."""

    name: Annotated[str, AfterValidator(_check_type_name)]
    description: str
    fields: dict[str, str] = Field(default_factory=dict)


class Settings(Section):
    """Everything that can be set, checked and complete."""

    store: str = Field(description="Where the memory is kept: a path or a URL")
    store_user: str | None = Field(default=None, description="User at a server store")
    store_password: SecretStr | None = Field(default=None, description="Password at a server store")
    store_database: str | None = Field(
        default=None, description="Database at a server store; unset: the server's default"
    )
    group: Group = Field(default="", description="Default group; empty: decided per request")
    mcp: Mcp = Mcp()
    capture: Capture = Capture()
    session_tracking: SessionTracking = SessionTracking()
    resilience: Resilience = Resilience()
    llm: Llm = Llm()
    embedder: Embedder = Embedder()
    entity_types: tuple[EntityType, ...] = Field(
        default=(), description="Own types of entities: name, description and, if wanted, fields (name = meaning)"
    )

    @field_validator("store")
    @classmethod
    def _canonical(cls, store: str) -> str:
        return address.check_store(store)

    @field_validator("entity_types")
    @classmethod
    def _named_once(cls, types: tuple[EntityType, ...]) -> tuple[EntityType, ...]:
        if len({entity_type.name for entity_type in types}) < len(types):
            raise ValueError("should name each type once")
        return types

    @property
    def store_file(self) -> Path | None:
        """The file of an SQLite store; None when the store is a server."""
        return address.file_of(self.store)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One thing that can be set."""

    name: str
    description: str
    is_secret: bool
    is_path: bool
    is_list: bool
    may_be_empty: bool

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "EVERFACT_" + self.name.upper().replace(".", "__")


def _key(name: str, field: FieldInfo) -> Key:
    kinds = (field.annotation, *get_args(field.annotation))
    return Key(
        name=name,
        description=field.description or "",
        is_secret=SecretStr in kinds,
        is_path=Path in kinds,
        is_list=get_origin(field.annotation) is tuple,
        may_be_empty=field.default in ("", ()),
    )


def _keys_of(section: type[BaseModel], prefix: str = "") -> dict[str, Key]:
    found: dict[str, Key] = {}
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found |= _keys_of(kind, f"{prefix}{name}.")
        else:
            found[prefix + name] = _key(prefix + name, field)
    return found


KEYS = _keys_of(Settings)
"""Every key by its dotted name, in the order of declaration."""

SECTIONS = frozenset(name[:end] for name in KEYS for end, letter in enumerate(name) if letter == ".")
"""Every name that holds keys: `mcp`, `session_tracking.filter` …"""
