"""Tell a memory something and find it again: the example of the README."""

import asyncio
import sys
from pathlib import Path

from everfact import Episode, Filter, Thing
from everfact.clock import new_id, now
from everfact.stores.sqlite import SQLiteStore


async def main(path: Path) -> None:
    async with await SQLiteStore.open(path) as store:
        told = Episode(
            uuid=new_id(),
            group_id="home",
            name="note",
            content="We chose SQLite over DuckDB because several processes write at once",
            reference_time=now(),
            created_at=now(),
        )
        await store.add_episode(told)  # on disk when this returns
        home = Filter(group_ids=("home",))
        hits = await store.match_text(Thing.EPISODE, "why sqlite?", home, limit=3)
        for episode in await store.episodes(Filter(group_ids=("home",), uuids=tuple(hit.uuid for hit in hits))):
            print(episode.content)


asyncio.run(main(Path(sys.argv[1])))
