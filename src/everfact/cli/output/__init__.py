"""What commands print: JSON in `plain`, lines for people in `screen`, the memory's history in `story`.

`answer` decides which; nothing else in the commands prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

    from everfact.cli.output.screen import Screen

FULL_IDS = "everfact.full_ids"
"""Set in a context's `meta` where only whole ids can be looked up."""
NAMES = "everfact.names"
"""In a context's `meta`: what the entities of the facts at hand are called, by uuid."""


def answer(ctx: typer.Context, as_json: bool, data: object, draw: Callable[[Screen], None]) -> None:
    """Print `data` as JSON, or `draw` it for a person."""
    if as_json:
        from everfact.cli.output.plain import dump

        print(dump(data))
        return
    from everfact.cli.output.screen import Screen

    draw(Screen(full_ids=ctx.meta.get(FULL_IDS, False), names=ctx.meta.get(NAMES, {})))
