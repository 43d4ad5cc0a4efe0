"""Which tools there are, and in which sets they are listed. Every tool can be called, listed or not."""

from __future__ import annotations

from collections.abc import Iterable

GRAPHITI = (
    "add_memory",
    "add_triplet",
    "search_nodes",
    "search_memory_nodes",
    "search_memory_facts",
    "search_facts",
    "get_entities_by_type",
    "compare_facts_over_time",
    "get_entity_edge",
    "delete_entity_edge",
    "get_episodes",
    "delete_episode",
    "get_episode_entities",
    "summarize_saga",
    "build_communities",
    "clear_graph",
    "get_status",
    "health_check",
)

TOOLSETS: dict[str, tuple[str, ...]] = {
    "core": (
        "add_memory",
        "add_facts",
        "search",
        "search_nodes",
        "search_memory_facts",
        "get_episodes",
        "get_context",
        "get_history",
        "undo_change",
        "get_status",
    ),
    "graphiti": GRAPHITI,
    "history": (
        "compare_facts_over_time",
        "get_history",
        "explain_fact",
        "correct_fact",
        "undo_change",
        "resolve_dispute",
        "merge_entities",
        "split_entity",
    ),
    "tracking": (
        "session_tracking_start",
        "session_tracking_stop",
        "session_tracking_status",
        "session_tracking_sync_history",
    ),
    "cli": (
        "graphiti_add",
        "graphiti_search",
        "graphiti_list",
        "graphiti_show",
        "graphiti_delete",
        "graphiti_summarize",
        "graphiti_compact",
        "graphiti_capture",
        "graphiti_health",
        "graphiti_config",
    ),
    "kuzu": (
        "kuzu_enhance",
        "kuzu_learn",
        "kuzu_recall",
        "kuzu_remember",
        "kuzu_stats",
        "kuzu_optimize",
        "kuzu_merge",
        "kuzu_export_shared",
        "kuzu_import_shared",
        "kuzu_project_context",
        "kuzu_user_context",
    ),
}
"""Each set's tools, in the order in which they are listed."""

ALIASES = {"search_memory_nodes": "search_nodes", "search_facts": "search_memory_facts"}
"""Former names, and what they are called now."""

NAMES = frozenset(name for tools in TOOLSETS.values() for name in tools)
"""Every name under which a tool can be called."""

_BY_PROGRAM = {"graphiti-mcp": ("graphiti", "history", "tracking"), "graphiti": ("cli",)}


def default_toolsets(program: str) -> tuple[str, ...]:
    """The sets listed when nobody chose any, by the name under which the program was started."""
    chosen = _BY_PROGRAM.get(program.removesuffix(".exe"), ())
    return chosen if listed(chosen) else ("core",)


def listed(toolsets: Iterable[str]) -> tuple[str, ...]:
    """The tools of these sets, each once, in a stable order."""
    return tuple(dict.fromkeys(tool for name in toolsets for tool in TOOLSETS[name]))
