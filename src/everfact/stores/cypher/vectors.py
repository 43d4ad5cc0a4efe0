"""Keeping vectors with the wordings they belong to, and finding wordings that lack one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b

from everfact.errors import UsageError
from everfact.models import Embedding, Entity, Episode, Fact, Thing, Unembedded, Vector
from everfact.stores.cypher.engine import LABELS, Engine, Part, Row, reachable
from everfact.stores.cypher.rows import NO_MODEL, NO_VERSION, OPEN, from_data, text_digest

_FEW = 2_000
"""With no more versions than this all vectors are compared: that is as quick, exact, and an index takes much memory."""
_KINDS: dict[Thing, type[Episode | Entity | Fact]] = {
    Thing.EPISODE: Episode,
    Thing.ENTITY: Entity,
    Thing.FACT: Fact,
}
_MODEL = "MERGE (m:EverfactModel {name: $name}) ON CREATE SET m.dimension = $dimension RETURN m.dimension"
_SIZE = "MATCH (g:EverfactGroup) WITH sum(g.next_no) AS n RETURN n"
_DIMENSION = "MATCH (m:EverfactModel {name: $name}) RETURN m.dimension"
_REVISIONS = (
    "MATCH (g:EverfactGroup) WHERE g.group_id IN $groups WITH g ORDER BY g.group_id RETURN g.group_id, g.revision"
)
# The first SET takes the lock of the node where there are locks; only then are its versions looked at.
_PUT_ASIDE = (
    "UNWIND $keys AS key MATCH (t:{label}Text {{key: key}}) SET t.lock = true"
    f" WITH t OPTIONAL MATCH (t)<-[:EverfactSays]-(e:{{label}}) WHERE e.known_to = {OPEN}"
    f" WITH t, count(e) AS standing WHERE standing = 0 SET t.embedded = '{NO_VERSION}'"
)
_OTHERS = "MATCH (m:EverfactModel) WHERE m.name <> $name RETURN m.name"


def is_small(size: int) -> bool:
    """Whether something of so many versions needs no index."""
    return size <= _FEW


def vector_name(model: str) -> str:
    """The property that holds the vectors of a model."""
    return f"vector_{blake2b(model.encode(), digest_size=6).hexdigest()}"


def direction(vector: Vector, *, is_question: bool = False) -> list[float]:
    """The vector as it is kept: of length one, and two parts longer, where what points nowhere differs from all others.

    Raises:
        UsageError: it holds a value that is no finite number.
    """
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise UsageError("a vector holds a value that is no finite number")
    if length:
        return [*(value / length for value in vector), 0.0, 0.0]
    return [*vector, float(is_question), float(not is_question)]


async def put_vectors(engine: Engine, model: str, embeddings: Sequence[Embedding]) -> int:
    """See `Store.put_vectors`."""
    if not embeddings:
        return 0
    name, kept = vector_name(model), 0
    asked = {"name": model, "dimension": len(embeddings[0].vector)}
    ((dimension,),) = await engine.write(engine.registry, _MODEL, asked)
    rows: dict[Thing, list[dict[str, object]]] = defaultdict(list)
    for embedding in embeddings:
        check_dimension(model, dimension, len(embedding.vector))
        digest, vector = text_digest(embedding.text), direction(embedding.vector)
        rows[embedding.thing].append({"uuid": embedding.uuid, "digest": digest, "vector": vector, "model": model})
    for thing, of in rows.items():
        put = (
            f"UNWIND $rows AS r MATCH (e:{LABELS[thing]} {{uuid: r.uuid}})-[:EverfactSays]->(t)"
            f" WHERE e.known_to = {OPEN} AND t.digest = r.digest {engine.put_vector(name)}"
            " SET t.embedded = r.model, t.models = [x IN coalesce(t.models, []) WHERE x <> r.model] + r.model"
            " RETURN count(t)"
        )
        for graph, uuids in (await engine.homes([str(row["uuid"]) for row in of])).items():
            if not (await engine.has_vectors(graph, thing, name) or await _is_small(engine, graph)):
                await engine.prepare_vectors(graph, thing, name, dimension + 2)
            lying_here = set(uuids)
            here = [row for row in of if row["uuid"] in lying_here]
            ((count,),) = await engine.write(graph, put, {"rows": here}) or ((0,),)
            kept += count
    return kept


async def _is_small(engine: Engine, graph: str) -> bool:
    found = await engine.read(graph, _SIZE, {})
    return is_small(found[0][0] if found else 0)


async def dimension_of(engine: Engine, model: str) -> int | None:
    """How many parts the vectors of that model have, if there are any; once there are some, that stays."""
    found = await engine.read(engine.registry, _DIMENSION, {"name": model})
    return found[0][0] if found else None


def check_dimension(model: str, expected: int, given: int) -> None:
    """Refuse a vector that cannot be one of the model.

    Raises:
        UsageError: it has too many or too few parts.
    """
    if expected != given:
        raise UsageError(f"vectors of {model} have {expected} dimensions, this one has {given}")


class Gaps:
    """Finds wordings without a vector, and remembers where there were none until somebody writes there again."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._none: dict[tuple[str, str], list[Row]] = {}

    async def unembedded(self, parts: Sequence[Part], model: str, limit: int) -> list[Unembedded]:
        """See `Store.unembedded`. What has a vector of another model is looked through one by one."""
        others = [name for (name,) in await self._engine.read(self._engine.registry, _OTHERS, {"name": model})]

        async def written(part: Part) -> list[tuple[Part, list[Row]]]:
            revisions = await part.read(_REVISIONS)
            return [] if self._none.get((part.graph, model)) == revisions else [(part, revisions)]

        found: list[Unembedded] = []
        for part, revisions in await reachable(parts, written):
            if len(found) < limit:
                lacking = await _lacking(part, model, [NO_MODEL, *others], limit - len(found))
                if not lacking:
                    self._none[part.graph, model] = revisions
                found += lacking
        return found


async def _lacking(part: Part, model: str, before: Sequence[str], limit: int) -> list[Unembedded]:
    found: list[Unembedded] = []
    for thing, label in LABELS.items():
        if len(found) < limit:
            for data in await _items_lacking(part, label, model, before, limit - len(found)):
                item = from_data(_KINDS[thing], data)
                found.append(Unembedded(thing=thing, uuid=item.uuid, text=item.text))
    return found


async def _items_lacking(part: Part, label: str, model: str, before: Sequence[str], limit: int) -> list[str]:
    """Of one kind; wordings that are found without an open version are put aside, so that none is found twice."""
    query = (
        f"MATCH (t:{label}Text) WHERE t.embedded IN $before AND t.group_id IN $groups"
        " AND NOT $model IN coalesce(t.models, []) WITH t LIMIT $limit"
        f" OPTIONAL MATCH (t)<-[:EverfactSays]-(e:{label}) WHERE e.known_to = {OPEN} RETURN t.key, e.data"
    )
    while True:
        found = await part.read(query, before=before, model=model, limit=limit)
        ended = [key for key, data in found if data is None]
        if not ended:
            return [data for _, data in found]
        await part.engine.write(part.graph, _PUT_ASIDE.format(label=label), {"keys": ended})
