"""Puts the parts together by what the settings say; the only file that knows them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everfact.errors import ConfigError, StoreUnavailable

if TYPE_CHECKING:
    from everfact.config import Settings
    from everfact.ports import Store


async def open_store(settings: Settings) -> Store:
    """Open the store that the settings name, making an embedded one if it is not there yet.

    Raises:
        ConfigError: it is of a kind that this version does not have.
        StoreError: it cannot be opened.
    """
    path = settings.store_file
    if path is None:
        scheme = settings.store.partition("://")[0]
        raise ConfigError(
            f"this version cannot keep a memory in {scheme}", hint="set store to a file: sqlite:////path/to/memory.db"
        )
    from everfact.stores.sqlite import SQLiteStore  # brings apsw and numpy, which `--help` does without

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {path.parent} cannot be made: {error.strerror}", hint="name another file with --store"
        ) from error
    return await SQLiteStore.open(path)
