"""What can be set: names, defaults and meanings; `kinds` says what each may be. Reads nothing.

A setting is a field annotated with its type, its check and its meaning. Those are read at run time, so this module
does without `from __future__ import annotations`.
"""

from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from everfact.config import address, kinds
from everfact.config.kinds import Check, CheckError, Secret

S = TypeVar("S", bound="Section")

Toolset = Literal["core", "graphiti", "history", "tracking", "cli", "kuzu"]
Count = Annotated[int, kinds.count]
Seconds = Annotated[float, kinds.seconds]
Yes = Annotated[bool, kinds.boolean]
Detail = Annotated[Literal["FULL", "SUMMARY", "OMIT"], kinds.detail]
# None is the default of these and stands for unset; no source can give it.
OptionalText = Annotated[str | None, kinds.text]
OptionalUrl = Annotated[str | None, kinds.url]
OptionalPath = Annotated[Path | None, kinds.path]
OptionalSecret = Annotated[Secret | None, kinds.secret]


@dataclass(frozen=True, kw_only=True)
class Section:
    """Settings that belong together: checked when made, frozen, and silent about values in its errors."""

    def __post_init__(self) -> None:
        given = [(part, getattr(self, part.name)) for part in fields(self)]
        checked = kinds.check_each(
            (part.name, _check_of(part), value) for part, value in given if value is not part.default
        )
        for name, value in checked.items():
            object.__setattr__(self, name, value)


def table_of(kind: type[S]) -> Check[S]:
    """A section, also as a table of its fields."""

    def check(value: object) -> S:
        if isinstance(value, kind):
            return value
        table, known = kinds.table(value), {part.name: part for part in fields(kind)}
        needed = [name for name, part in known.items() if part.default is part.default_factory is MISSING]
        missing = {name: "is missing" for name in needed if name not in table}
        unknown = {name: "is not known there" for name in table if name not in known}
        if missing or unknown:
            raise CheckError(missing | unknown)
        return kind(**table)

    return check


def _check_of(part: Field[Any]) -> Check[object]:
    check: Check[object] = table_of(part.type) if isinstance(part.type, type) else get_args(part.type)[1]
    return check


@dataclass(frozen=True, kw_only=True)
class Mcp(Section):
    """The MCP server."""

    context_tokens: Annotated[Count, "Budget of the brief, in tokens of four characters"] = 8192
    toolsets: Annotated[
        tuple[Toolset, ...],
        kinds.list_of(kinds.one_of(*get_args(Toolset))),
        "Sets of tools listed; empty: by the program's name",
    ] = ()
    wrap_results: Annotated[Yes, 'Wrap structured results as {"result": …}, as Graphiti does'] = False
    export_root: Annotated[OptionalPath, "Folder below which files may be written over HTTP; unset: none may"] = None
    project_dir: Annotated[OptionalPath, "Folder of the client's project; unset: the working directory"] = None


@dataclass(frozen=True, kw_only=True)
class Capture(Section):
    """What hooks take from a running session."""

    every_turns: Annotated[Count, "Turns that wait before the Stop hook captures them"] = 8


@dataclass(frozen=True, kw_only=True)
class SessionFilter(Section):
    """How much of each class of message is kept."""

    user_messages: Annotated[Detail, "What the person wrote: FULL, SUMMARY or OMIT"] = "FULL"
    agent_messages: Annotated[Detail, "What the agent wrote: FULL, SUMMARY or OMIT"] = "FULL"
    tool_calls: Annotated[Detail, "Which tools were called: FULL, SUMMARY or OMIT"] = "SUMMARY"
    tool_content: Annotated[Detail, "What the tools answered: FULL, SUMMARY or OMIT"] = "SUMMARY"


@dataclass(frozen=True, kw_only=True)
class SessionTracking(Section):
    """Transcripts of coding assistants."""

    enabled: Annotated[Yes, "Follow transcripts and remember them"] = False
    watch_path: Annotated[Path, kinds.path, "Folder of the transcripts"] = Path("~/.claude/projects")
    inactivity_timeout: Annotated[Seconds, "Seconds of silence after which a session is indexed"] = 300.0
    check_interval: Annotated[Seconds, "Seconds between two looks for silent sessions"] = 60.0
    filter: SessionFilter = SessionFilter()


@dataclass(frozen=True, kw_only=True)
class Resilience(Section):
    """What happens when digesting an episode fails."""

    episode_timeout: Annotated[Seconds, "Seconds one attempt at an episode may take"] = 60.0
    max_attempts: Annotated[Count, "Attempts at an episode before it is parked"] = 5
    backoff_initial: Annotated[Seconds, "Seconds before the second attempt; doubles from there"] = 1.0
    backoff_max: Annotated[Seconds, "Longest wait between two attempts, in seconds"] = 300.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.backoff_max < self.backoff_initial:
            raise CheckError({"backoff_max": "should be at least resilience.backoff_initial"})


@dataclass(frozen=True, kw_only=True)
class Llm(Section):
    """The model that extracts facts, if any."""

    model: Annotated[
        str, kinds.text, "Model that extracts facts, as name or provider:name; empty: local extraction, no cost"
    ] = ""
    base_url: Annotated[OptionalUrl, "Address of an OpenAI-compatible endpoint; unset: the provider's own"] = None
    api_key: Annotated[OptionalSecret, "Key for the model's provider"] = None
    daily_limit_usd: Annotated[float | None, kinds.dollars, "Dollars a day the model may cost; unset: no limit"] = None
    daily_limit_tokens: Annotated[int | None, kinds.count, "Tokens a day, both ways; unset: no limit"] = None
    input_price: Annotated[
        float | None, kinds.dollars, "Dollars for a million tokens sent; unset: by our table of prices"
    ] = None
    output_price: Annotated[float | None, kinds.dollars, "Dollars for a million tokens answered"] = None
    concurrency: Annotated[Count, "Calls at the same time, in each process"] = 4
    requests_per_minute: Annotated[int | None, kinds.count, "Calls a minute, in each process; unset: no limit"] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.input_price is None) != (self.output_price is None):
            raise CheckError({"output_price": "should be set together with llm.input_price"})


@dataclass(frozen=True, kw_only=True)
class Embedder(Section):
    """The model that turns text into vectors."""

    model: Annotated[
        str, kinds.filled, "Model that makes vectors, as name or provider:name; wordllama and minilm are local"
    ] = "wordllama"
    base_url: Annotated[OptionalUrl, "Address of an OpenAI-compatible endpoint; unset: the provider's own"] = None
    api_key: Annotated[OptionalSecret, "Key for the embedder's provider"] = None


@dataclass(frozen=True, kw_only=True)
class EntityType(Section):
    """A type of entity the user added to those everfact ships."""

    name: Annotated[str, kinds.type_name]
    description: Annotated[str, kinds.text]
    fields: Annotated[dict[str, str], kinds.texts_by_name] = field(default_factory=dict)


def _entity_types(value: object) -> tuple[EntityType, ...]:
    types = kinds.list_of(table_of(EntityType))(value)
    if len({entity_type.name for entity_type in types}) < len(types):
        raise ValueError("should name each type once")
    return types


@dataclass(frozen=True, kw_only=True)
class Settings(Section):
    """Everything that can be set, checked and complete."""

    store: Annotated[str, kinds.store, "Where the memory is kept: a path or a URL"]
    store_user: Annotated[OptionalText, "User at a server store"] = None
    store_password: Annotated[OptionalSecret, "Password at a server store"] = None
    store_database: Annotated[OptionalText, "Database at a server store; unset: the server's default"] = None
    remote: Annotated[
        OptionalUrl, "Address of a server whose memory to use, such as http://127.0.0.1:8000/mcp; unset: the store"
    ] = None
    remote_token: Annotated[OptionalSecret, "Token for that server"] = None
    group: Annotated[str, kinds.group, "Default group; empty: decided per request"] = ""
    mcp: Mcp = Mcp()
    capture: Capture = Capture()
    session_tracking: SessionTracking = SessionTracking()
    resilience: Resilience = Resilience()
    llm: Llm = Llm()
    embedder: Embedder = Embedder()
    entity_types: Annotated[
        tuple[EntityType, ...],
        _entity_types,
        "Own types of entities: name, description and, if wanted, fields (name = meaning)",
    ] = ()

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


def _key(name: str, part: Field[Any]) -> Key:
    _, check, description = get_args(part.type)
    return Key(
        name=name,
        description=description,
        is_secret=check is kinds.secret,
        is_path=check is kinds.path,
        is_list=part.default == (),
        may_be_empty=part.default in ("", ()),
    )


def _keys_of(kind: type[Section], prefix: str = "") -> dict[str, Key]:
    found: dict[str, Key] = {}
    for part in fields(kind):
        name = prefix + part.name
        found |= _keys_of(part.type, f"{name}.") if isinstance(part.type, type) else {name: _key(name, part)}
    return found


KEYS = _keys_of(Settings)
"""Every key by its dotted name, in the order of declaration."""

SECTIONS = frozenset(name[:end] for name in KEYS for end, letter in enumerate(name) if letter == ".")
"""Every name that holds keys: `mcp`, `session_tracking.filter` …"""
