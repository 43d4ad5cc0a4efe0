"""Graphiti's settings, so that its users can switch without changing a line.

Three sources, the first wins: its variables, the fork's graphiti.config.json, the YAML file CONFIG_PATH names.
Each makes offers for our keys; `choose` takes those that fit the store and the models in use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from everfact.config import address
from everfact.config.settings import KEYS, Embedder, EntityType, Key, Llm
from everfact.config.sources import Anchor, Given, Layer, move_login, read_text
from everfact.errors import ConfigError

VARIABLES = (
    # FalkorDB first: where both servers are named and nothing chooses, Graphiti takes it.
    ("FALKORDB_URI", "store", "falkordb"),
    ("FALKORDB_USERNAME", "store_user", "falkordb"),
    ("FALKORDB_PASSWORD", "store_password", "falkordb"),
    ("FALKORDB_DATABASE", "store_database", "falkordb"),
    ("NEO4J_URI", "store", "neo4j"),
    ("NEO4J_USER", "store_user", "neo4j"),
    ("NEO4J_PASSWORD", "store_password", "neo4j"),
    ("NEO4J_DATABASE", "store_database", "neo4j"),
    ("GRAPHITI_GROUP_ID", "group", ""),
    ("MODEL_NAME", "llm.model", ""),
    ("OPENAI_API_KEY", "llm.api_key", "openai"),
    ("OPENAI_API_URL", "llm.base_url", "openai"),
    ("OPENAI_BASE_URL", "llm.base_url", "openai"),
    ("ANTHROPIC_API_KEY", "llm.api_key", "anthropic"),
    ("GOOGLE_API_KEY", "llm.api_key", "gemini"),
    ("GEMINI_API_KEY", "llm.api_key", "gemini"),
    ("GROQ_API_KEY", "llm.api_key", "groq"),
    ("AZURE_OPENAI_API_KEY", "llm.api_key", "azure"),
    ("AZURE_OPENAI_ENDPOINT", "llm.base_url", "azure"),
    ("OPENROUTER_API_KEY", "llm.api_key", "openrouter"),
    ("OLLAMA_BASE_URL", "llm.base_url", "ollama"),
    ("SEMAPHORE_LIMIT", "llm.concurrency", ""),
    ("EMBEDDER_MODEL", "embedder.model", ""),
    ("OPENAI_API_KEY", "embedder.api_key", "openai"),
    ("OPENAI_API_URL", "embedder.base_url", "openai"),
    ("OPENAI_BASE_URL", "embedder.base_url", "openai"),
    ("GOOGLE_API_KEY", "embedder.api_key", "gemini"),
    ("GEMINI_API_KEY", "embedder.api_key", "gemini"),
    ("VOYAGE_API_KEY", "embedder.api_key", "voyage"),
    # Claude Code's, not Graphiti's; it ranks the same.
    ("CLAUDE_PROJECT_DIR", "mcp.project_dir", ""),
)
"""Variable, our key, the provider it holds for (empty: any)."""

_OURS = {
    "database.provider": "store.provider",
    "database.uri": "store",
    "database.username": "store_user",
    "database.password": "store_password",
    "database.database": "store_database",
    "llm.provider": "llm.provider",
    "llm.model": "llm.model",
    "llm.api_key": "llm.api_key",
    "llm.api_url": "llm.base_url",
    "embedder.provider": "embedder.provider",
    "embedder.model": "embedder.model",
    "embedder.api_key": "embedder.api_key",
    "embedder.api_url": "embedder.base_url",
    "graphiti.group_id": "group",
    "graphiti.entity_types": "entity_types",
}
_BOUND = {key for _, key, provider in VARIABLES if provider}
_SPELLINGS = {"backend": "provider", "user": "username", "base_url": "api_url", "default_model": "model"}
_SAME_NAMES = ("session_tracking.", "resilience.")
_JSON_SECTIONS = ("database", "llm", "session_tracking", "resilience")
_YAML_SECTIONS = (*_JSON_SECTIONS, "embedder", "graphiti")
_DEFAULT_URIS = {"neo4j": "bolt://localhost:7687", "falkordb": "redis://localhost:6379"}
_DEFAULT_MODELS = {
    "llm.model": Given(Llm().model, "default"),
    "embedder.model": Given(Embedder().model, "default"),
}
_DETAILS = {"true": "FULL", "false": "OMIT"}
_DEEPEST = 4  # database.providers.neo4j.uri
_PROVIDERS = (
    *("openai", "azure", "anthropic", "gemini", "groq", "voyage"),
    *("openrouter", "ollama", "vllm", "lmstudio", "llamacpp"),
)
_SAME_PROVIDERS = {"google": "gemini", "azure_openai": "azure"}
_MAKERS = {"claude": "anthropic", "gemini": "gemini", "voyage": "voyage", "wordllama": "local"}
_REFERENCE = re.compile(r"\$\{([^:}]+)(?::([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Offer:
    """A value for one of our keys; `provider` says whom it holds for, empty means anybody."""

    key: str
    value: object
    source: str
    provider: str = ""


@dataclass(slots=True)
class Reading:
    """What one or more of Graphiti's sources say; `providers` are those they chose, by our section."""

    offers: list[Offer] = field(default_factory=list)
    providers: dict[str, Given] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read(environ: Mapping[str, str], anchor: Anchor, folders: Iterable[Path]) -> Reading:
    """All that Graphiti's variables and files say.

    Raises:
        ConfigError: the file CONFIG_PATH names cannot be read.
    """
    variables = Reading(
        [
            Offer(key, anchor.place(KEYS[key], environ[variable]), f"variable {variable}", provider)
            for variable, key, provider in VARIABLES
            if environ.get(variable)
        ]
    )
    readings = (
        variables,
        _read_json(environ, (*folders, anchor.home / ".graphiti"), anchor.home),
        _read_yaml(environ, anchor),
    )
    whole = Reading()
    for reading in readings:
        whole.offers += reading.offers
        whole.providers = reading.providers | whole.providers
        whole.warnings += reading.warnings
    return whole


def choose(reading: Reading, own: Layer) -> Layer:
    """The offers that fit together and fit what our own sources chose; adds to the reading's warnings.

    Raises:
        ConfigError: Graphiti's settings choose a store everfact cannot open.
    """
    layer = _name_model("llm.model", reading) | _name_model("embedder.model", reading)
    models = _DEFAULT_MODELS | layer | own
    wanted = {section: provider_of(str(models[f"{section}.model"].value)) for section in ("llm", "embedder")}
    wanted["store"] = address.kind_of(str(own["store"].value)) if "store" in own else _choose_store(reading)
    for offer in (*reading.offers, *_default_store(reading)):
        need = wanted.get(_section_of(offer.key), "")
        is_free = offer.key not in layer and offer.key not in own
        if is_free and (not offer.provider or not need or offer.provider == need):
            layer[offer.key] = Given(offer.value, offer.source)
    store = layer.get("store")
    if store is not None and address.kind_of(str(store.value)) != wanted["store"]:
        raise ConfigError(
            f"store from {store.source} is no address of a {wanted['store']} server",
            hint="such as bolt://host:7687 for neo4j and redis://host:6379 for falkordb",
        )
    return move_login(layer)


def provider_of(model: str) -> str:
    """Who serves the model: the part before the colon, else told by the name, else openai; empty for no model."""
    name = model.lower()
    prefix = _provider(name.partition(":")[0])
    if not name or prefix in _PROVIDERS:
        return prefix
    return next((provider for start, provider in _MAKERS.items() if name.startswith(start)), "openai")


def split_model(model: str) -> tuple[str, str]:
    """Who serves the model, and what it is called there."""
    provider, (prefix, _, rest) = provider_of(model), model.partition(":")
    return provider, rest if rest and _provider(prefix) == provider else model


def _default_store(reading: Reading) -> list[Offer]:
    """The address Graphiti takes when its settings choose a database and say no more."""
    chosen = reading.providers.get("store")
    if chosen is None or chosen.value not in _DEFAULT_URIS:
        return []
    provider = str(chosen.value)
    return [Offer("store", _DEFAULT_URIS[provider], chosen.source, provider)]


def _choose_store(reading: Reading) -> str:
    offered = [offer for offer in reading.offers if offer.key == "store"]
    by_variable = [offer.provider for offer in offered if offer.source.startswith("variable ")]
    chosen = reading.providers.get("store")
    if chosen is not None and (not by_variable or chosen.value in by_variable):
        if chosen.value not in _DEFAULT_URIS:
            raise ConfigError(
                f"{chosen.source} chooses the database {chosen.value}, which everfact cannot open",
                hint="set EVERFACT_STORE; of Graphiti's databases neo4j and falkordb can be opened",
            )
        return str(chosen.value)
    if len(by_variable) > 1:
        reading.warnings.append(
            "FALKORDB_URI and NEO4J_URI are both set; FALKORDB_URI is used, as in Graphiti (EVERFACT_STORE decides)"
        )
    return next((offer.provider for offer in offered), "sqlite")


def _name_model(key: str, reading: Reading) -> Layer:
    offer = next((offer for offer in reading.offers if offer.key == key), None)
    if offer is None:
        return {}
    model, chosen = str(offer.value), reading.providers.get(key.partition(".")[0])
    if chosen is not None and provider_of(model) != chosen.value:
        model = f"{chosen.value}:{model}"
    return {key: Given(model, offer.source)}


def _read_json(environ: Mapping[str, str], folders: Iterable[Path], home: Path) -> Reading:
    for folder in folders:
        path = folder / "graphiti.config.json"
        # Found by chance, so what is wrong with the file is worth a word but no refusal.
        try:
            text = read_text(path)
            if text is None:
                continue
            tree = json.loads(text)
        except ConfigError as error:
            return Reading(warnings=[f"{error}; not used"])
        except ValueError as error:
            return Reading(warnings=[f"{path} is not valid JSON: {error}; not used"])
        if not isinstance(tree, dict):
            return Reading(warnings=[f"{path} holds no JSON object; not used"])
        return _read_tree(tree, _JSON_SECTIONS, str(path), environ, Anchor(path.parent, home))
    return Reading()


def _read_yaml(environ: Mapping[str, str], anchor: Anchor) -> Reading:
    named = environ.get("CONFIG_PATH")
    if not named:
        return Reading()
    path = address.anchor_path(named, folder=anchor.folder, home=anchor.home)
    hint = "CONFIG_PATH is the variable of Graphiti's server; unset it if the file is another program's"
    text = read_text(path)
    if text is None:
        raise ConfigError(f"CONFIG_PATH names {path}, which is not there", hint=hint)
    from ruamel.yaml import YAML  # 30 ms, and few have such a file
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        # This loader leaves every scalar the text it is, so a password of 1 or a group called on survives.
        tree = YAML(typ="base", pure=True).load(text)
    except YAMLError as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        where = f": line {mark.line + 1}" if mark else ""
        # The library's message quotes the file, which may hold secrets.
        raise ConfigError(f"{path}, named by CONFIG_PATH, is not valid YAML{where}", hint=hint) from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{path}, named by CONFIG_PATH, holds no settings", hint=hint)
    expanded = {name: _expand(value, environ) for name, value in tree.items()}
    return _read_tree(expanded, _YAML_SECTIONS, str(path), environ, Anchor(path.parent, anchor.home))


def _expand(value: object, environ: Mapping[str, str]) -> object:
    if isinstance(value, dict):
        return {name: _expand(inner, environ) for name, inner in value.items()}
    if isinstance(value, list):
        return [_expand(inner, environ) for inner in value]
    if value in ("null", "~"):
        return None
    return _REFERENCE.sub(lambda found: environ.get(found[1], found[2] or ""), str(value))


def _read_tree(
    tree: Mapping[str, object],
    sections: Iterable[str],
    source: str,
    environ: Mapping[str, str],
    anchor: Anchor,
) -> Reading:
    reading = Reading()
    unused: dict[str, None] = {}
    for path, leaf in _leaves(tree):
        key, provider = _translate(path) if path[0] in sections else ("", "")
        given = Given(leaf, source)
        if path[-1].endswith("_env"):
            given = Given(environ.get(str(leaf)), f"{source} (variable {leaf})")
        if given.value in (None, ""):
            continue
        if not key:
            unused[".".join(path) if path[0] in sections else path[0]] = None
        elif key.endswith(".provider"):
            reading.providers[key.removesuffix(".provider")] = Given(_provider(str(given.value)), given.source)
        elif key == "entity_types":
            reading.offers.append(Offer(key, _trim_types(leaf, unused), source))
        else:
            reading.offers.append(Offer(key, _plain(KEYS[key], given.value, anchor), given.source, provider))
    if unused:
        reading.warnings.append(f"{source}: not used by everfact: {', '.join(unused)}")
    reading.offers = [_bind(offer, reading) for offer in reading.offers]
    return reading


def _leaves(tree: Mapping[str, object], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, value in tree.items():
        inner = (*path, str(name))
        if isinstance(value, dict) and len(inner) < _DEEPEST:
            yield from _leaves(value, inner)
        else:
            yield inner, value


def _translate(path: tuple[str, ...]) -> tuple[str, str]:
    """Our key for a place in Graphiti's tree, and the provider it stands under; both empty for none."""
    dotted = ".".join(path)
    if dotted.startswith(_SAME_NAMES):
        return (dotted, "") if dotted in KEYS else ("", "")
    section, *rest = (part for part in path if part != "providers")
    if len(rest) not in (1, 2):
        return "", ""
    name = rest[-1].removesuffix("_env")
    key = _OURS.get(f"{section}.{_SPELLINGS.get(name, name)}", "")
    return key, _provider(rest[0]) if len(rest) == 2 else ""


def _provider(name: str) -> str:
    return _SAME_PROVIDERS.get(name.lower(), name.lower())


def _plain(key: Key, value: object, anchor: Anchor) -> object:
    if key.name.startswith("session_tracking.filter."):
        return _DETAILS.get(str(value).lower(), value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return anchor.place(key, value)


def _trim_types(types: object, unused: dict[str, None]) -> object:
    if not isinstance(types, list) or not all(isinstance(item, dict) for item in types):
        return types
    known = {part.name for part in fields(EntityType)}
    unused.update((f"graphiti.entity_types.{name}", None) for item in types for name in item if name not in known)
    return [{name: value for name, value in item.items() if name in known} for item in types]


def _bind(offer: Offer, reading: Reading) -> Offer:
    """The offer tied to the provider its file chose, where it stood outside any provider's part."""
    if offer.provider or offer.key not in _BOUND:
        return offer
    section = _section_of(offer.key)
    chosen = reading.providers.get(section)
    if chosen is not None:
        return replace(offer, provider=str(chosen.value))
    uri = next((str(other.value) for other in reading.offers if other.key == "store"), "")
    return replace(offer, provider=address.kind_of(uri)) if section == "store" and uri else offer


def _section_of(key: str) -> str:
    return "store" if key.startswith("store") else key.partition(".")[0]
