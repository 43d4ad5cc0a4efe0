"""The program: `everfact`, `graphiti`, `graphiti-mcp` and `python -m everfact`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; a hook without it, since a client waits for every one of them."""
    if sys.argv[1:2] == ["hook"] and "--help" not in sys.argv:
        from everfact.hooks.run import main as hook

        hook(sys.argv[2:])
    from everfact.cli import main as command_line

    command_line()
    sys.exit(0)


if __name__ == "__main__":
    main()
