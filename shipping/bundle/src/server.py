"""Starts the server; uv has installed everfact from the pyproject.toml beside."""

import sys

from everfact.cli import main

sys.argv = ["everfact", "mcp", "serve"]
main()
