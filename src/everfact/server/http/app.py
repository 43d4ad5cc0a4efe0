"""`build_app`: the SDK's app behind our gate, with our pages beside it."""

from __future__ import annotations

from dataclasses import dataclass

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from everfact.errors import ConfigError
from everfact.server.host import Host
from everfact.server.http.gate import Gate
from everfact.server.http.guard import Guard, caller_access
from everfact.server.http.metrics import Metrics
from everfact.server.http.names import Names, is_loopback
from everfact.server.http.pages import Pages
from everfact.server.tokens import TokenFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to serve, and how much of it at most."""

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    """Further names under which clients may call."""
    json_response: bool = False
    stateless: bool = False
    most_bytes: int = 16 * 1024 * 1024
    """Of one request: the longest text that can be told, each character written as an escape."""
    most_seconds: float = 300.0
    """For one call; a person may have to be asked in it."""
    most_sessions: int = 1_000
    idle_seconds: float = 1_800.0


def build_app(server: MCPServer[Host], host: Host, tokens: TokenFile, options: Options) -> Gate:
    """The server as an ASGI app.

    Raises:
        ConfigError: it would be open to other machines, and there is no token.
    """
    is_public = not is_loopback(options.host)
    if is_public and not tokens.all():
        raise ConfigError(
            f"{options.host} can be reached from other machines, and there is no token",
            hint="make one first: everfact token create NAME --group GROUP",
        )
    metrics, names = Metrics(), Names(options.host, options.allowed_hosts)
    host.access = caller_access
    server.middleware.append(Guard(metrics, most_seconds=options.most_seconds))
    inner = server.streamable_http_app(
        json_response=options.json_response,
        stateless_http=options.stateless,
        max_request_body_size=options.most_bytes,
        session_idle_timeout=options.idle_seconds,
        max_sessions=options.most_sessions,
        transport_security=_security(names),
    )
    inner.router.routes.extend(Pages(host, metrics).routes())
    return Gate(inner, names=names, tokens=tokens, metrics=metrics, most_bytes=options.most_bytes, asks=is_public)


def _security(names: Names) -> TransportSecuritySettings:
    """The SDK's own check of the same, so that nothing depends on the gate alone."""
    hosts = [form for name in names.hosts for form in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
    )
