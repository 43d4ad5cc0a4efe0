"""What the server says of itself over plain HTTP: `/health`, `/metrics`, and how to get in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from everfact import clock
from everfact.errors import EverfactError
from everfact.models import Stats, Usage
from everfact.server.host import Access, Host
from everfact.server.http.gate import ACCESS_KEY, METADATA_PATH, base_url
from everfact.server.http.metrics import Metrics

_ANSWER_SECONDS = 5.0
_STUCK = timedelta(minutes=15)
"""Longer than an episode can take to be tried again and then parked."""


class Pages:
    """The pages beside `/mcp`."""

    def __init__(self, host: Host, metrics: Metrics, *, now: Callable[[], datetime] = clock.now) -> None:
        self._host = host
        self._metrics = metrics
        self._now = now
        self._oldest: datetime | None = None
        self._since: datetime | None = None
        """Since when the oldest waiting episode has been the oldest."""

    def routes(self) -> list[Route]:
        """Where each page is."""
        return [
            Route("/health", self.health, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
            Route(METADATA_PATH, self.metadata, methods=["GET"]),
            Route(f"{METADATA_PATH}/mcp", self.metadata, methods=["GET"]),
        ]

    async def health(self, request: Request) -> Response:
        """200 when the store answers and the queue moves, else 503; to strangers no more than that."""
        stats, problem = await self._look()
        body: dict[str, object] = {"status": "unhealthy" if problem else "healthy"}
        if request.scope[ACCESS_KEY].groups is None:
            queue = {"pending": stats.pending, "parked": stats.parked} if stats else None
            body |= {"service": "everfact", "queue": queue, "error": problem}
        return JSONResponse(body, status_code=503 if problem else 200)

    async def metrics(self, request: Request) -> Response:
        """Prometheus' text format, for those who may see every group."""
        access: Access = request.scope[ACCESS_KEY]
        if access.groups is not None:
            return JSONResponse({"error": "insufficient_scope"}, status_code=403)
        stats, problem = await self._look()
        gauges = {"healthy": 0.0 if problem else 1.0}
        if stats is not None:
            waiting = (self._now() - stats.oldest_pending).total_seconds() if stats.oldest_pending else 0.0
            counted = ("groups", "episodes", "entities", "facts", "pending", "parked")
            gauges |= {name: float(getattr(stats, name)) for name in counted}
            gauges |= {"oldest_pending_seconds": max(waiting, 0.0)}
            taken = sum(stats.spent.ever.values(), Usage()) if stats.spent else Usage()
            gauges |= {f"model_{name}": float(value) for name, value in asdict(taken).items()}
        text = self._metrics.render(gauges)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def metadata(self, request: Request) -> Response:
        """What RFC 9728 has a protected resource say of itself. Tokens come from the operator, by no OAuth server."""
        return JSONResponse(
            {
                "resource": f"{base_url(request.scope, request.headers)}/mcp",
                "resource_name": "everfact",
                "bearer_methods_supported": ["header"],
            }
        )

    async def _look(self) -> tuple[Stats | None, str]:
        """How the store is, and what is wrong, if anything."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                with self._host.watched():
                    stats = await (await self._host.memory()).status()
        except EverfactError as error:
            return None, str(error)
        except TimeoutError:
            return None, f"the store did not answer within {_ANSWER_SECONDS:g} s"
        if stats.oldest_pending != self._oldest:
            self._oldest, self._since = stats.oldest_pending, self._now()
        if self._oldest and self._since and self._now() - max(self._since, self._oldest) > _STUCK:
            return stats, f"the queue does not move: {stats.pending} episodes wait"
        return stats, ""
