"""`everfact mcp install`, `uninstall` and `print`: our entry in the lists of servers that assistants keep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from everfact.cli.arguments import AsJson
from everfact.cli.output import answer
from everfact.cli.session import settings_of
from everfact.errors import EverfactError, NotFound, UsageError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from everfact.cli.output.screen import Screen
    from everfact.install.clients import Client
    from everfact.install.servers import Outcome, Place, Server

Names = Annotated[list[str] | None, typer.Argument(metavar="[CLIENT]...", help="claude-code, codex, cursor, …")]
Scope = Annotated[Literal["user", "project"], typer.Option(help="For you everywhere, or in this project's files.")]
Http = Annotated[str, typer.Option(metavar="URL", help="Have them call the server at this address.")]
Toolset = Annotated[str, typer.Option(help="Sets of tools to list: core, graphiti, history, …")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
PROGRAM = (sys.executable, "-P", "-m", "everfact")
"""How others start this very program; -P keeps what lies in a project from passing for it."""
_MARKS = {"failed": "red", "unchanged": "dim", "absent": "dim"}


def install(  # noqa: PLR0913 - every option is a parameter
    ctx: typer.Context,
    clients: Names = None,
    scope: Scope = "user",
    http: Http = "",
    toolset: Toolset = "",
    replace: Annotated[str, typer.Option(metavar="NAME", help="Take over the entry of this name.")] = "",
    with_hooks: Annotated[bool, typer.Option("--hooks", help="Also have the client call us at events.")] = False,
    with_skill: Annotated[bool, typer.Option("--skill", help="Also teach the client when to use it.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Connect assistants to the memory. Without names: Claude Code, and every other one found here."""
    place = place_of(ctx, scope, dry_run)
    chosen = _chosen(clients, place)
    if replace:
        acts = [_take_over(ctx, client, place, replace, http, toolset) for client in chosen]
    else:
        server = server_of(ctx, http, toolset)
        acts = [add(client, server, place) for client in chosen]
    extra = [act for client in chosen for act in extras(ctx, client, place, with_hooks, with_skill)]
    outcomes = list(tried([*acts, *extra], lenient=bool(replace and not clients)))
    if replace and not outcomes:
        raise NotFound(f"no client here has a server called {replace}", hint="leave --replace out to add a new entry")
    tell(ctx, as_json, outcomes, place)


def uninstall(
    ctx: typer.Context, clients: Names = None, scope: Scope = "user", dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Take back what install and setup did: servers, hooks, skill. Files are as they were before."""
    place = place_of(ctx, scope, dry_run)
    acts = [act for client in _chosen(clients, place, every=True) for act in _take_back(client, place)]
    outcomes = [done for done in tried(acts) if clients or done.action != "absent"]
    tell(ctx, as_json, outcomes, place)


def print_(
    ctx: typer.Context,
    client: Annotated[str, typer.Argument(help="A client's name.")] = "claude-code",
    scope: Scope = "user",
    http: Http = "",
    toolset: Toolset = "",
    as_json: AsJson = False,
) -> None:
    """Print the entry for a client, to be put in by hand."""
    from everfact.install.clients import find
    from everfact.install.servers import snippet

    found, server, place = find(client), server_of(ctx, http, toolset), place_of(ctx, scope, dry_run=True)
    file, text = snippet(found, server, place)
    shape = {"client": found.name, "file": str(file or ""), "entry": server.entry(found), "text": text}
    if file and not as_json:
        print(f"for {file}:", file=sys.stderr)
    answer(ctx, as_json, shape, lambda screen: screen.line(text.rstrip("\n")))


def place_of(ctx: typer.Context, scope: str, dry_run: bool) -> Place:
    """Where to install: for the user, or in the project we work for."""
    from everfact.config import Places, project_dir
    from everfact.config.sources import project_folders
    from everfact.install.receipts import Receipts
    from everfact.install.servers import Place

    project = project_folders(project_dir(settings_of(ctx)))[-1].resolve()
    receipts = Receipts(Places.of_this_user().user_file.parent / "installed")
    return Place(receipts=receipts, project=project, is_project=scope == "project", dry_run=dry_run)


def server_of(ctx: typer.Context, http: str = "", toolset: str = "") -> Server:
    """What clients are to start: this interpreter, with the global options that were given now.

    Raises:
        UsageError: that would write a secret down, or the address is none.
    """
    from everfact.config import load
    from everfact.install.servers import Server
    from everfact.server.toolsets import default_toolsets

    if http and not _address(http).scheme.startswith("http"):
        raise UsageError(f"{http!r} is no address of a server", hint="write it like http://127.0.0.1:8000/mcp")
    if _address(http).password:
        raise UsageError("the address holds a password", hint="connect by everfact --remote URL mcp install instead")
    name = "graphiti" if program().startswith("graphiti") else "everfact"
    sets = load(ctx.obj | {"mcp.toolsets": toolset}).settings.mcp.toolsets if toolset else default_toolsets(program())
    shown = () if sets == ("core",) else ("--toolset", ",".join(sets))
    command, *words = PROGRAM
    return Server(name=name, command=command, args=(*words, *options_of(ctx), "mcp", "serve", *shown), url=http)


def options_of(ctx: typer.Context) -> list[str]:
    """The global options that were given now, for others to give.

    Raises:
        UsageError: that would write a secret down.
    """
    settings = settings_of(ctx)
    given = {"store": settings.store, "group": settings.group, "remote": settings.remote or ""}
    words = [word for name, value in given.items() if name in ctx.obj for word in (f"--{name}", value)]
    if any(_address(str(ctx.obj.get(name, ""))).password for name in given):
        raise UsageError(
            "the address holds a password, which does not belong into other programs' files",
            hint="put it into your settings: everfact config set store URL",
        )
    return words


def _address(text: str) -> SplitResult:
    from urllib.parse import urlsplit

    try:
        return urlsplit(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no address: {error}", hint="write it like http://127.0.0.1:8000/mcp") from error


def program() -> str:
    """The name under which we were started."""
    return Path(sys.argv[0]).stem


def _chosen(names: list[str] | None, place: Place, *, every: bool = False) -> list[Client]:
    from everfact.install.clients import CLIENTS, find, here

    if names:
        return [find(name) for name in dict.fromkeys(names)]
    return [client for client in (CLIENTS if every else here()) if has_files(client, place)]


def has_files(client: Client, place: Place) -> bool:
    """Whether the client keeps servers where we install."""
    return bool(client.project_file if place.is_project else client.files)


Act = tuple[str, Callable[[], "Iterable[Outcome]"]]
"""Something to do for a client, by its name."""


def add(client: Client, server: Server, place: Place) -> Act:
    """Our server for this client."""
    from everfact.install import servers

    return client.name, lambda: [servers.install(client, server, place)]


def _take_back(client: Client, place: Place) -> Iterator[Act]:
    from everfact.install import undo

    if not has_files(client, place):
        raise UsageError(f"{client.title} has no file here to take anything out of", hint="leave its name out")
    for step in undo.steps(client, place):
        yield client.name, lambda step=step: [step()]  # type: ignore[misc]


def _take_over(ctx: typer.Context, client: Client, place: Place, name: str, http: str, toolset: str) -> Act:
    from dataclasses import replace

    from everfact.install import servers

    def act() -> Iterator[Outcome]:
        sets = toolset or servers.toolset_for(name, servers.entry_of(client, name, place))
        yield servers.take_over(client, name, replace(server_of(ctx, http, sets), name=name), place)

    return client.name, act


def extras(ctx: typer.Context, client: Client, place: Place, with_hooks: bool, with_skill: bool) -> list[Act]:
    """What goes with a server, for clients that can have it."""
    from everfact.install import hooks, skill

    options = options_of(ctx)
    called = [row for row in hooks.HOOKS if with_hooks and row.client == client.name]
    acts: list[Act] = [(client.name, lambda row=row: [hooks.install(row, PROGRAM, options, place)]) for row in called]  # type: ignore[misc]
    taught = with_skill and client.skills
    return [*acts, (client.name, lambda: [skill.install(client, place)])] if taught else acts


def tried(acts: Iterable[Act], *, lenient: bool = False) -> Iterator[Outcome]:
    """What came of each; one that fails does not stop the others. `lenient` leaves out what was not found."""
    for client, act in acts:
        try:
            yield from act()
        except EverfactError as error:
            if not (lenient and isinstance(error, NotFound)):
                yield _failed(client, error)


def _failed(client: str, error: EverfactError) -> Outcome:
    from everfact.install.servers import Outcome

    return Outcome(client=client, what="", action="failed", detail=str(error.args[0]), hint=error.hint)


def tell(ctx: typer.Context, as_json: bool, outcomes: list[Outcome], place: Place) -> None:
    """Say what was done. Exit code 1 if something failed."""
    answer(ctx, as_json, {"dry_run": place.dry_run, "outcomes": outcomes}, lambda screen: draw(screen, outcomes, place))
    if any(done.action == "failed" for done in outcomes):
        raise typer.Exit(1)


def draw(screen: Screen, outcomes: list[Outcome], place: Place) -> None:
    """A row for each."""
    from rich.text import Text

    home = str(Path.home())
    for done in outcomes:
        mark = Text(f"{done.action:<9}", style=_MARKS.get(done.action, "green"))
        detail = f"({done.detail})" if done.file and done.detail else done.detail
        said = [done.what, done.file.replace(home, "~", 1), detail]
        screen.rows([(mark, f"{done.client:<14}", "  ".join(part for part in said if part))])
        if done.hint:
            screen.rows([(" " * 9, Text(f"hint: {done.hint}", style="dim"))])
    if place.dry_run:
        screen.line("nothing was changed: this was a dry run", style="yellow")
    if not outcomes:
        screen.line("nothing to do")
