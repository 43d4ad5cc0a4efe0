"""`everfact token`: who may use the memory over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from everfact.cli.arguments import AsJson
from everfact.errors import UsageError

if TYPE_CHECKING:
    from everfact.server.tokens import Token, TokenFile

app = typer.Typer(no_args_is_help=True, help="Decide who may use the memory over HTTP.")

Name = Annotated[str, typer.Argument(help="What you call it, such as laptop or ci.")]


@app.command()
def create(
    name: Name,
    groups: Annotated[list[str] | None, typer.Option("--group", help="A group it can see; may be repeated.")] = None,
    all_groups: Annotated[bool, typer.Option("--all-groups", help="It can see every group.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="It cannot change anything.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a token and print it; it is not kept and cannot be shown again."""
    if bool(groups) is all_groups:
        raise UsageError("which groups may the token see?", hint="give --group NAME, or --all-groups")
    secret = open_tokens().create(name, groups=None if all_groups else groups, may_write=not read_only)
    print(json.dumps({"name": name, "token": secret}, indent=2) if as_json else secret)


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """Print every token's name and what it allows."""
    tokens = open_tokens().all()
    if as_json:
        print(json.dumps({"tokens": [_plain(token) for token in tokens]}, ensure_ascii=False, indent=2))
        return
    for token in tokens:
        seen = "every group" if token.groups is None else ", ".join(token.groups)
        print(f"{token.name}: {_access(token)} {seen}, since {token.created_at:%Y-%m-%d}")


@app.command()
def revoke(name: Name, as_json: AsJson = False) -> None:
    """Make a token worthless, at once and for servers that run too."""
    gone = open_tokens().revoke(name)
    print(json.dumps({"revoked": _plain(gone)}, ensure_ascii=False, indent=2) if as_json else f"revoked {gone.name}")


def open_tokens() -> TokenFile:
    """The tokens of whoever runs this."""
    from everfact.config import Places
    from everfact.server.tokens import FILE_NAME, TokenFile

    return TokenFile(Places.of_this_user().user_file.parent / FILE_NAME)


def _plain(token: Token) -> dict[str, object]:
    return {
        "name": token.name,
        "groups": None if token.groups is None else list(token.groups),
        "access": _access(token),
        "created_at": token.created_at.isoformat(timespec="seconds"),
    }


def _access(token: Token) -> str:
    return "write" if token.may_write else "read"
