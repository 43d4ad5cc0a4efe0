"""`everfact mcp`: the MCP server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

app = typer.Typer(no_args_is_help=True, help="Serve the memory to AI clients over MCP.")


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
    toolset: Annotated[str, typer.Option(help="Sets of tools to list: core, graphiti, history, …")] = "",
    store: Annotated[str, typer.Option(help="As before the command.")] = "",
    group: Annotated[str, typer.Option(help="As before the command.")] = "",
    project: Annotated[Path | None, typer.Option(help="As before the command.")] = None,
) -> None:
    """Serve the memory until the client goes, or until Ctrl-C."""
    import asyncio

    from everfact.config import load
    from everfact.server.run import serve_http, serve_stdio

    given = {"store": store, "group": group, "mcp.project_dir": str(project or ""), "mcp.toolsets": toolset}
    settings = load(ctx.obj | {key: value for key, value in given.items() if value}).settings
    program = Path(sys.argv[0]).stem
    if transport == "stdio":
        asyncio.run(serve_stdio(settings, program))
    else:
        url = f"http://{host}:{port}/mcp"
        print(f"serving {settings.store} at {url}", file=sys.stderr)
        print(f"connect, for example: claude mcp add --transport http everfact {url}", file=sys.stderr)
        asyncio.run(
            serve_http(settings, program, host=host, port=port, json_response=json_response, stateless=stateless)
        )
