"""Puts the parts together by what the settings say; the only file that knows them all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from everfact import clock
from everfact.errors import ConfigError, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from everfact.capture.take import Options
    from everfact.capture.tracker import Tracker
    from everfact.client import RemoteMemory
    from everfact.config import EntityType, Settings
    from everfact.digest import Patience
    from everfact.extractors.llm import Endpoint
    from everfact.git.commits import Indexed
    from everfact.memory import Memory
    from everfact.ports import Embedder, Extractor, Store
    from everfact.prices import Price
    from everfact.stores.sqlite.check import Checkup
    from everfact.stores.sqlite.salvage import Salvaged


async def open_memory(path: str | Path | None = None) -> Memory:
    """Open the memory at `path`, or the one that the user's settings name; use it with `async with`.

    Raises:
        ConfigError: the settings are wrong.
        StoreError: the memory cannot be opened.
    """
    from everfact.config import load

    return await open_configured(load({} if path is None else {"store": str(path)}).settings)


async def open_configured(settings: Settings) -> Memory:
    """Open the memory that the settings name; use it with `async with`.

    Raises:
        ConfigError: the store is of a kind that this version does not have.
        StoreError: the memory cannot be opened.
    """
    endpoint = _endpoint(settings)  # first, so that what is wrong with the settings leaves no store open
    embedder = make_embedder(settings)
    store = await open_store(settings)
    read = _reader(settings, endpoint, store) if endpoint else None
    return make_memory(store, _patience(settings), embedder=embedder, read=read)


async def open_anywhere(settings: Settings, *, reads_text: bool = True) -> Memory | RemoteMemory:
    """Open the memory that the settings name, here or behind a server; both have the same methods.

    Without `reads_text` it opens in a fraction of the time, but can neither digest nor search by meaning.

    Raises:
        ConfigError: the store is of a kind that this version does not have.
        StoreError: the memory cannot be opened.
    """
    if settings.remote is None and reads_text:
        return await open_configured(settings)
    if settings.remote is None:
        from everfact.memory import Memory

        return Memory(await open_store(settings), {}, patience=_patience(settings))
    from everfact.client import RemoteMemory  # brings the MCP SDK

    return RemoteMemory(settings.remote, token=settings.remote_token.reveal() if settings.remote_token else "")


def preload() -> None:
    """Import what opening a memory needs; it takes a while, and can be done in a thread."""
    for module in ("memory", "worker", "embedders.static", "extractors.json", "extractors.local", "stores.sqlite"):
        import_module(f"everfact.{module}")


def make_memory(
    store: Store,
    patience: Patience | None = None,
    *,
    embedder: Embedder | None = None,
    read: Callable[[Extractor], Extractor] | None = None,
) -> Memory:
    """A memory on an open store, with the extractors and, unless one is given, the embedder that need nothing.

    `read` makes of the extractor by rules the one that reads texts in its place.
    """
    from everfact.embedders.static import StaticEmbedder
    from everfact.extractors.json import JSONExtractor
    from everfact.extractors.local import LocalExtractor
    from everfact.memory import Memory
    from everfact.models import Source

    rules = LocalExtractor()
    local = read(rules) if read is not None else rules
    extractors: dict[Source, Extractor] = {Source.TEXT: local, Source.MESSAGE: local, Source.JSON: JSONExtractor()}
    return Memory(store, extractors, embedder=embedder or StaticEmbedder(), patience=patience)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name.

    Raises:
        ConfigError: there is no such embedder.
    """
    from everfact.config.graphiti import provider_of
    from everfact.embedders.static import StaticEmbedder

    chosen = settings.embedder
    if chosen.model in ("wordllama", StaticEmbedder.model):
        return StaticEmbedder()
    if chosen.model == "minilm":
        from everfact.embedders.minilm.embedder import MiniLMEmbedder

        return MiniLMEmbedder(model_folder("minilm"))
    name = chosen.model.partition(":")[2] or chosen.model
    if chosen.model.startswith("fastembed:"):
        from everfact.embedders.fastembed import FastEmbedEmbedder

        return FastEmbedEmbedder(name)
    from everfact.embedders.http import SERVICES, HTTPEmbedder

    # Whoever names an address has a service there that speaks as OpenAI's does.
    provider = "openai" if chosen.base_url and ":" not in chosen.model else provider_of(chosen.model)
    if provider not in SERVICES:
        known = ", ".join(["wordllama", "minilm", *(f"{service}:NAME" for service in (*SERVICES, "fastembed"))])
        raise ConfigError(f"there is no embedder {chosen.model}", hint=f"embedder.model is one of {known}")
    key = chosen.api_key.reveal() if chosen.api_key else ""
    return HTTPEmbedder(provider, name, base_url=chosen.base_url, api_key=key)


def model_folder(name: str) -> Path:
    """Where a local model is kept."""
    from everfact.config import Places

    return Places.of_this_user().data_dir / "models" / name


async def open_store(settings: Settings) -> Store:
    """Open the store that the settings name, making an embedded one if it is not there yet.

    Raises:
        ConfigError: it is of a kind that this version does not have.
        StoreError: it cannot be opened.
    """
    connect = _connector(settings)
    if settings.store_file is not None:
        return await connect()
    from everfact.stores.outbox import OutboxStore
    from everfact.stores.sqlite import SQLiteStore

    outbox = outbox_of(settings)
    _make_folder(outbox.parent)
    held = await SQLiteStore.open(outbox)
    # Whatever is no method of its own it takes from the server's store.
    return cast("Store", OutboxStore(connect, held, clock.now, address=_address_of(settings)))


def _connector(settings: Settings) -> Callable[[], Awaitable[Store]]:
    """What opens the store itself: the file, or the one on the server."""
    from everfact.config.address import kind_of

    kind = kind_of(settings.store)
    if kind == "sqlite":
        return lambda: _open_file(_file_of(settings))
    if find_spec(kind) is None:
        raise ConfigError(
            f"a memory in {settings.store.partition('://')[0]} takes a library that is not here",
            hint=f"pip install 'everfact[{kind}]'",
        )
    from everfact.stores.cypher.falkordb import FalkorEngine
    from everfact.stores.cypher.neo4j import Neo4jEngine
    from everfact.stores.cypher.server import Server
    from everfact.stores.cypher.store import CypherStore

    password = settings.store_password.reveal() if settings.store_password else None
    server = Server(settings.store, settings.store_user, password, settings.store_database)
    engine = FalkorEngine(server) if kind == "falkordb" else Neo4jEngine(server)
    return lambda: CypherStore.open(engine)


async def _open_file(path: Path) -> Store:
    from everfact.stores.sqlite import SQLiteStore  # brings apsw, which `--help` does without

    _make_folder(path.parent)
    return await SQLiteStore.open(path)


def outbox_of(settings: Settings) -> Path:
    """Where what is told waits while the server is away: one file a server, for all processes of this user."""
    from everfact.config import Places

    asked = f"{settings.store} {settings.store_database or ''}"
    return Places.of_this_user().data_dir / "outbox" / f"{sha256(asked.encode()).hexdigest()[:16]}.db"


def _address_of(settings: Settings) -> str:
    from everfact.config.address import split_login

    address, *_ = split_login(settings.store)
    return f"{address}, database {settings.store_database}" if settings.store_database else address


async def send_outbox(settings: Settings, file: Path) -> int:
    """Send what waits in one of these files to the store that the settings name; answer how many episodes are left.

    Raises:
        ConfigError: the store is of a kind that this version does not have.
        StoreError: it cannot be opened; nothing was sent.
    """
    from everfact.stores.outbox import OutboxStore
    from everfact.stores.sqlite import SQLiteStore

    async with OutboxStore(_connector(settings), await SQLiteStore.open(file), clock.now) as sender:
        return await sender.send_all()


@asynccontextmanager
async def scratch_store() -> AsyncIterator[Store]:
    """An empty store that is gone afterwards, to try things out on."""
    from everfact.stores.sqlite import SQLiteStore

    with TemporaryDirectory(prefix="everfact-") as folder:
        async with await SQLiteStore.open(Path(folder) / "scratch.db") as store:
            yield store


async def glance_store(settings: Settings, *, patience: float) -> Store | None:
    """Open the store that the settings name to read from it at once; None if nothing has been told it yet.

    Raises:
        ConfigError: it is of a kind that this version does not have.
        StoreError: it cannot be opened, or not in time.
    """
    if settings.store_file is None:
        return await open_store(settings)
    if not settings.store_file.exists():
        return None
    from everfact.stores.sqlite import SQLiteStore

    return await SQLiteStore.glance(settings.store_file, patience=patience)


def _patience(settings: Settings) -> Patience:
    from everfact.digest import Patience

    resilience = settings.resilience
    return Patience(
        episode_timeout=timedelta(seconds=resilience.episode_timeout),
        max_attempts=resilience.max_attempts,
        backoff_initial=timedelta(seconds=resilience.backoff_initial),
        backoff_max=timedelta(seconds=resilience.backoff_max),
    )


def _endpoint(settings: Settings) -> Endpoint | None:
    """The model that the settings name, if they name one.

    Raises:
        ConfigError: it cannot be asked as it is set.
    """
    if not settings.llm.model:
        return None
    if find_spec("pydantic_ai") is None:  # importing it takes a second, which is left to the first text
        raise ConfigError(
            f"llm.model is {settings.llm.model}, and what asks models is not installed",
            hint="pip install 'everfact[llm]', or leave llm.model empty",
        )
    from everfact.config import split_model
    from everfact.extractors.llm.endpoint import Endpoint

    provider, model = split_model(settings.llm.model)
    endpoint = Endpoint(
        provider=provider,
        model=model,
        base_url=settings.llm.base_url or "",
        api_key=settings.llm.api_key.reveal() if settings.llm.api_key else "",
    )
    if _price(settings, endpoint) is None and settings.llm.daily_limit_usd is not None:
        raise ConfigError(
            f"nobody knows what {endpoint.name} costs, so llm.daily_limit_usd cannot hold",
            hint="set llm.input_price and llm.output_price, or llm.daily_limit_tokens in its place",
        )
    return endpoint


def _price(settings: Settings, endpoint: Endpoint) -> Price | None:
    from everfact.prices import FREE, Price, price_of

    llm = settings.llm
    if llm.input_price is not None and llm.output_price is not None:
        return Price(llm.input_price, llm.output_price)
    return FREE if endpoint.is_free else price_of(endpoint.model)


def _reader(settings: Settings, endpoint: Endpoint, store: Store) -> Callable[[Extractor], Extractor]:
    from everfact.extractors.llm import ENTITY_TYPES, Calls, LlmExtractor, Options, Pace
    from everfact.prices import FREE
    from everfact.spending import Limits, Spending

    llm = settings.llm
    limits = Limits(usd=llm.daily_limit_usd, tokens=llm.daily_limit_tokens)
    pace = Pace(llm.concurrency, llm.requests_per_minute)
    spending = Spending(store, limits, clock.now)
    calls = Calls(endpoint, store, spending, _price(settings, endpoint) or FREE, pace)
    own = {kind.name: _meaning(kind) for kind in settings.entity_types}
    options = Options(seconds=settings.resilience.episode_timeout, types={**ENTITY_TYPES, **own})
    return lambda rules: LlmExtractor(calls, rules, store, options)


def _meaning(kind: EntityType) -> str:
    details = "; ".join(f"{name}: {meaning}" for name, meaning in kind.fields.items())
    return f"{kind.description} ({details})" if details else kind.description


def capture_options(settings: Settings) -> Options:
    """How sessions of coding assistants are captured, by the settings: for `everfact.capture.take.capture_session`."""
    from dataclasses import asdict

    from everfact.capture.shorten import Filters
    from everfact.capture.take import Options
    from everfact.config import default_group, transcript_folders

    return Options(
        group_of=lambda folder: default_group(settings, folder),
        folders=transcript_folders(settings),
        filters=Filters(**asdict(settings.session_tracking.filter)),
    )


async def index_project(
    settings: Settings, memory: Memory, folder: Path, *, limit: int, step: Callable[[int], None] = lambda _: None
) -> Indexed:
    """Tell the memory of the commits of the project in that folder, at most the `limit` newest; none outside git.

    Raises:
        CaptureError: git cannot read the repository.
    """
    from everfact.config import default_group
    from everfact.config.project import git_common_dir, group_of
    from everfact.git.commits import Indexed, index

    found = git_common_dir(folder)
    if found is None:
        return Indexed(repository="")
    group = default_group(settings, folder)
    return await index(memory, folder, group_id=group, repository=group_of(found), limit=limit, step=step)


def make_tracker(settings: Settings, memory: Memory, *, enabled: bool = False) -> Tracker:
    """What follows sessions by the settings; `enabled` has all of them followed whatever these say."""
    from everfact.capture.tracker import Global, Tracker

    tracking = settings.session_tracking
    told = Global(
        enabled=enabled or tracking.enabled,
        watch_path=str(tracking.watch_path.expanduser()),
        inactivity_timeout=tracking.inactivity_timeout,
        check_interval=tracking.check_interval,
    )
    endpoint = _endpoint(settings)
    price = None if endpoint is None else _price(settings, endpoint)
    # What is answered is little beside what is read.
    cost = (lambda tokens: price.of(tokens, 0)) if price is not None else (lambda _: 0.0)
    return Tracker(memory, capture_options(settings), told, price=cost)


def restore(settings: Settings, backup: Path) -> Path | None:
    """Put a backup in the place of the memory that the settings name; answer where the former one was kept.

    Raises:
        ConfigError: the memory is not in a file.
        UsageError: there is no such backup.
        StoreError: the backup is damaged, or the memory cannot be written.
    """
    from everfact.stores.sqlite.restore import restore as put_back

    path = _file_of(settings)
    _make_folder(path.parent)
    return put_back(backup, path, clock.now())


def examine(settings: Settings) -> Checkup:
    """Look for damage in the file of the memory.

    Raises:
        ConfigError: the memory is not in a file.
        StoreError: it cannot be read.
    """
    from everfact.stores.sqlite.check import check

    return check(_file_of(settings), clock.now())


def mend(settings: Settings, found: Checkup) -> Path | None:
    """Mend what was found, but for damage; answer where a copy is kept, if rows had to be altered.

    Raises:
        ConfigError: the memory is not in a file.
        StoreError: it cannot be written.
    """
    from everfact.stores.sqlite.check import mend as mend_file

    return mend_file(_file_of(settings), found, clock.now())


def salvage(settings: Settings) -> Salvaged:
    """Put a memory made of all that can be read in the place of a damaged file, which is kept.

    Raises:
        ConfigError: the memory is not in a file.
        StoreError: nothing can be read, or the new file cannot be written.
    """
    from everfact.stores.sqlite.salvage import salvage as save

    return save(_file_of(settings), clock.now())


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {folder} cannot be made: {error.strerror}", hint="name another file with --store"
        ) from error


def _file_of(settings: Settings) -> Path:
    path = settings.store_file
    if path is None:
        scheme = settings.store.partition("://")[0]
        raise ConfigError(
            f"this is done to a file, and the memory is kept on a server ({scheme})",
            hint="use the server's own tools, or everfact export and import",
        )
    return path
