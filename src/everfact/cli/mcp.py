"""`everfact mcp`: the MCP server, and connecting clients to it (their commands are in `connect`)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from everfact.cli import connect
from everfact.cli.token import open_tokens
from everfact.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Serve the memory to AI clients over MCP, and connect them to it.")
app.command()(connect.install)
app.command()(connect.uninstall)
app.command("print")(connect.print_)


@app.command()
def serve(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    transport: Annotated[
        Literal["stdio", "http", "streamable-http"], typer.Option(help="How clients reach it.")
    ] = "stdio",
    host: Annotated[str, typer.Option(help="Address to listen on, with http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on, with http.", min=0, max=65535)] = 8000,
    json_response: Annotated[bool, typer.Option(help="Answer in plain JSON, with http.")] = False,
    stateless: Annotated[bool, typer.Option(help="Keep no sessions, with http.")] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name under which clients may call, with http; may be repeated.")
    ] = None,
    toolset: Annotated[str, typer.Option(help="Sets of tools to list: core, graphiti, history, …")] = "",
    store: Annotated[str, typer.Option(help="As before the command.")] = "",
    group: Annotated[str, typer.Option(help="As before the command.")] = "",
    project: Annotated[Path | None, typer.Option(help="As before the command.")] = None,
) -> None:
    """Serve the memory until the client goes, or until Ctrl-C."""
    import asyncio

    from everfact.config import load
    from everfact.server.run import serve_http, serve_relay, serve_stdio

    given = {"store": store, "group": group, "mcp.project_dir": str(project or ""), "mcp.toolsets": toolset}
    flags = ctx.obj | {key: value for key, value in given.items() if value}
    settings = load(flags).settings
    if settings.remote is not None:
        _check_relay(settings.remote, flags, transport)
        token = settings.remote_token.reveal() if settings.remote_token else ""
        asyncio.run(serve_relay(settings.remote, token=token))
        return
    program = Path(sys.argv[0]).stem
    if transport == "stdio":
        asyncio.run(serve_stdio(settings, program))
        return
    from everfact.server.http.app import Options

    options = Options(
        host=host, port=port, allowed_hosts=tuple(allow_host or ()), json_response=json_response, stateless=stateless
    )

    def announce(url: str) -> None:
        print(f"serving {settings.store} at {url}", file=sys.stderr)
        print(f"connect, for example: claude mcp add --transport http everfact {url}", file=sys.stderr, flush=True)

    asyncio.run(serve_http(settings, program, options, tokens=open_tokens(), announce=announce))


def _check_relay(url: str, flags: Mapping[str, object], transport: str) -> None:
    if transport != "stdio":
        raise UsageError(f"{url} is served over HTTP already", hint="give clients that address itself")
    if "group" in flags:
        # Calls pass as they are: they would quietly go to another group than the one asked for.
        raise UsageError(f"the group is chosen by {url}, or in each call", hint="leave --group out")
