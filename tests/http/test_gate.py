"""The gate: who is let in, who is asked for a token, and what a token is good for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from everfact import clock
from everfact.errors import ConfigError, StoreUnavailable
from everfact.models import Draft
from everfact.server.http import gate, pages

Serve = Callable[..., Any]
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def initialize() -> dict[str, object]:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def call(tool: str, **arguments: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


async def post(client: Any, message: object, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.post("/mcp", json=message, headers={"accept": "application/json, text/event-stream"} | named)


async def test_without_tokens_this_machine_needs_none(serve: Serve) -> None:
    async with serve(stateless=True, json_response=True) as served, served.client() as client:
        assert (await post(client, LIST)).status_code == 200


async def test_once_there_is_a_token_it_is_asked_for_even_when_revoked(serve: Serve) -> None:
    async with serve(stateless=True, json_response=True) as served:
        secret = served.tokens.create("a", groups=None, may_write=True)
        async with served.client() as stranger, served.client(secret) as known, served.client("evf_wrong") as wrong:
            assert [(await post(who, LIST)).status_code for who in (stranger, known, wrong)] == [401, 200, 401]
            served.tokens.revoke("a")
            assert [(await post(who, LIST)).status_code for who in (stranger, known)] == [401, 401]


async def test_challenge_says_where_to_read_how_to_get_in(serve: Serve) -> None:
    async with serve(stateless=True, json_response=True) as served:
        served.tokens.create("a", groups=None, may_write=True)
        async with served.client() as stranger, served.client("wrong") as wrong:
            answer = await post(stranger, LIST)
            challenge = answer.headers["www-authenticate"]
            where = "http://localhost:8000/.well-known/oauth-protected-resource/mcp"
            assert challenge.startswith("Bearer ")
            assert f'resource_metadata="{where}"' in challenge
            assert "error=" not in challenge
            assert 'error="invalid_token"' in (await post(wrong, LIST)).headers["www-authenticate"]
            for path in (where, where.removesuffix("/mcp")):
                metadata = (await stranger.get(path)).json()
                assert metadata["resource"] == "http://localhost:8000/mcp"
                assert metadata["bearer_methods_supported"] == ["header"]


async def test_other_forms_of_the_header_are_no_token(serve: Serve) -> None:
    async with serve(stateless=True, json_response=True) as served:
        secret = served.tokens.create("a", groups=None, may_write=True)
        async with served.client() as client:
            for header in (secret, f"Basic {secret}", "Bearer", "Bearer ", f"Bearer {secret} x", f"Token {secret}"):
                assert (await post(client, LIST, authorization=header)).status_code == 401, header
            for header in (f"bearer {secret}", f"BEARER  {secret} "):
                assert (await post(client, LIST, authorization=header)).status_code == 200, header


async def test_session_belongs_to_the_token_that_opened_it(serve: Serve) -> None:
    async with serve() as served:
        mine, yours = (served.tokens.create(name, groups=None, may_write=True) for name in ("mine", "yours"))
        async with served.client(mine) as me, served.client(yours) as you:
            session = (await post(me, initialize())).headers["mcp-session-id"]
            assert (await post(me, LIST, mcp_session_id=session)).status_code == 200
            assert (await post(you, LIST, mcp_session_id=session)).status_code == 404
            assert (await you.delete("/mcp", headers={"mcp-session-id": session})).status_code == 404
            assert (await post(me, LIST, mcp_session_id=session)).status_code == 200


async def test_token_shows_its_groups_alone(serve: Serve) -> None:
    async with serve(stateless=True, json_response=True) as served:
        secret = served.tokens.create("a", groups=["acme"], may_write=False)
        for group in ("acme", "other", "main"):
            await served.memory.add(Draft(content=f"Something of {group}.", group_id=group))
        async with served.client(secret) as client:
            status = (await post(client, call("get_status"))).json()["result"]["structuredContent"]
            assert (status["episodes"], status["group_id"]) == (1, "acme")


async def test_health_tells_strangers_little_and_metrics_nothing(serve: Serve) -> None:
    async with serve() as served:
        some = served.tokens.create("some", groups=["acme"], may_write=True)
        every = served.tokens.create("every", groups=None, may_write=False)
        async with served.client() as stranger, served.client(some) as tenant, served.client(every) as operator:
            assert (await stranger.get("/health")).json() == {"status": "healthy"}
            assert (await tenant.get("/health")).json() == {"status": "healthy"}
            assert (await operator.get("/health")).json()["queue"] == {"pending": 0, "parked": 0}
            codes = [(await who.get("/metrics")).status_code for who in (stranger, tenant, operator)]
            assert codes == [401, 403, 200]


async def test_unreadable_tokens_let_nobody_in(serve: Serve) -> None:
    async with serve(stateless=True, json_response=True) as served:
        secret = served.tokens.create("a", groups=None, may_write=True)
        served.tokens.path.write_text("damaged", encoding="utf-8")
        async with served.client(secret) as known, served.client() as stranger:
            assert [(await post(who, LIST)).status_code for who in (known, stranger)] == [503, 503]


async def test_address_that_others_can_reach_needs_a_token(serve: Serve) -> None:
    with pytest.raises(ConfigError, match="there is no token"):
        async with serve(host="192.0.2.7"):
            pass


async def test_sick_store_makes_health_503(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve() as served, served.client() as client:

        async def fail(**_: object) -> None:
            raise StoreUnavailable("the disk is full")

        monkeypatch.setattr(served.memory, "status", fail)
        answer = await client.get("/health")
        assert (answer.status_code, answer.json()["status"]) == (503, "unhealthy")
        assert answer.json()["error"] == "the disk is full"
        assert "everfact_healthy 0\n" in (await client.get("/metrics")).text

        async def hang(**_: object) -> None:
            await asyncio.sleep(60)

        monkeypatch.setattr(served.memory, "status", hang)
        monkeypatch.setattr(pages, "_ANSWER_SECONDS", 0.05)
        assert (await client.get("/health")).status_code == 503


async def test_queue_that_stands_still_makes_health_503(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    late = timedelta()
    real = clock.now
    async with serve() as served:
        page = pages.Pages(served.host, None, now=lambda: real() + late)  # type: ignore[arg-type]
        await served.memory.add(Draft(content="Ana works at Acme."))
        assert (await page._look())[1] == ""
        late = timedelta(minutes=16)
        assert "does not move: 1 episodes wait" in (await page._look())[1]
        await served.memory.digest()
        assert (await page._look())[1] == ""


async def test_body_that_never_comes_does_not_hold_the_server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_BODY_SECONDS", 0.05)
    async with serve() as served:
        sent: list[dict[str, Any]] = []
        headers = {"host": "localhost", "accept": "*/*", "content-type": "application/json", "content-length": "9"}
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "scheme": "http",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(60)
            return {}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await asyncio.wait_for(served.app(scope, receive, send), 5)
        assert not sent or sent[0]["status"] >= 400


async def test_call_that_takes_too_long_is_a_clear_failure(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(stateless=True, json_response=True, most_seconds=0.05) as served, served.client() as client:

        async def hang(**_: object) -> None:
            await asyncio.sleep(60)

        monkeypatch.setattr(served.memory, "status", hang)
        result = (await post(client, call("get_status"))).json()["result"]
        assert result["isError"] is True
        assert "took longer than 0.05 s" in json.dumps(result)


async def test_sessions_are_limited(serve: Serve) -> None:
    async with serve(most_sessions=2) as served, served.client() as client:
        codes = [(await post(client, initialize())).status_code for _ in range(3)]
        assert codes == [200, 200, 503]
