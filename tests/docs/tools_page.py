"""Writes the generated part of docs/reference/tools.md from the tools themselves: `python tests/docs/tools_page.py`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from mcp.types import Tool

from everfact.assemble import open_memory
from everfact.server.app import build_server
from everfact.server.host import Host
from everfact.server.toolsets import ALIASES, TOOLSETS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tools.md"
MARK = "<!-- what follows is made by tests/docs/tools_page.py -->\n"


def page() -> str:
    """The whole page: what people wrote, then what the tools say of themselves."""
    written = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    return written + MARK + asyncio.run(_described())


async def _described() -> str:
    sets = [name for name, tools in TOOLSETS.items() if tools]
    server = build_server(Host(open_memory), toolsets=sets)
    return "".join(_section(tool) for tool in await server.list_tools() if tool.name not in ALIASES)


def _section(tool: Tool) -> str:
    hints = tool.annotations
    assert hints is not None
    effect = "reads only" if hints.read_only_hint else "deletes or undoes" if hints.destructive_hint else "writes"
    sets = ", ".join(f"`{name}`" for name, tools in TOOLSETS.items() if tool.name in tools)
    former = [alias for alias, name in ALIASES.items() if name == tool.name]
    also = f"; also called `{former[0]}`" if former else ""
    text = " ".join((tool.description or "").split())
    parts = [f"\n## {tool.name}\n\n{tool.title}: {effect}; in {sets}{also}.\n\n{text}\n"]
    properties: dict[str, Any] = tool.input_schema.get("properties", {})
    if properties:
        parts.append("\n| parameter | default | meaning |\n| --- | --- | --- |\n")
        parts += [_row(name, schema, tool.input_schema.get("required", [])) for name, schema in properties.items()]
    if tool.output_schema:
        fields = ", ".join(f"`{field}`" for field in tool.output_schema["properties"])
        parts.append(f"\nAnswers with {fields}.\n")
    return "".join(parts)


def _row(name: str, schema: dict[str, Any], required: list[str]) -> str:
    default = schema.get("default")
    shown = "needed" if name in required else "" if default in (None, "", []) else f"`{str(default).lower()}`"
    return f"| `{name}` | {shown} | {schema['description'].replace('|', chr(92) + '|')} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
