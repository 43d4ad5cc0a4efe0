"""everfact: memory for AI agents.

An agent tells it things; it keeps entities and facts, with the time each was true and the time each was known.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from everfact._version import __version__
from everfact.errors import (
    CaptureError,
    ClaimLost,
    ConfigError,
    Conflict,
    EverfactError,
    ExtractError,
    InstallError,
    LimitReached,
    ModelAnswerInvalid,
    ModelRefused,
    ModelUnavailable,
    NotFound,
    SchemaTooNew,
    StoreCorrupt,
    StoreError,
    StoreUnavailable,
    UsageError,
)

if TYPE_CHECKING:
    from everfact.assemble import open_memory
    from everfact.memory import Memory
    from everfact.models import (
        Added,
        Answer,
        Assertion,
        Change,
        ChangeKind,
        Claim,
        Command,
        CommandKind,
        Comparison,
        Draft,
        Embedding,
        Entity,
        Episode,
        Evidence,
        Extraction,
        Fact,
        FactKind,
        Filter,
        Granularity,
        History,
        Hit,
        Judgement,
        Mention,
        Original,
        Pair,
        Phase,
        Query,
        Ranking,
        Reached,
        Receipt,
        Scored,
        Source,
        Spent,
        Statement,
        Stats,
        Status,
        Thing,
        Trust,
        Undigested,
        Unembedded,
        Usage,
        Value,
        ValueType,
        Verdict,
    )
    from everfact.summarize import SagaSummary
    from everfact.worker import Worker

__all__ = [
    "Added",
    "Answer",
    "Assertion",
    "CaptureError",
    "Change",
    "ChangeKind",
    "Claim",
    "ClaimLost",
    "Command",
    "CommandKind",
    "Comparison",
    "ConfigError",
    "Conflict",
    "Draft",
    "Embedding",
    "Entity",
    "Episode",
    "EverfactError",
    "Evidence",
    "ExtractError",
    "Extraction",
    "Fact",
    "FactKind",
    "Filter",
    "Granularity",
    "History",
    "Hit",
    "InstallError",
    "Judgement",
    "LimitReached",
    "Memory",
    "Mention",
    "ModelAnswerInvalid",
    "ModelRefused",
    "ModelUnavailable",
    "NotFound",
    "Original",
    "Pair",
    "Phase",
    "Query",
    "Ranking",
    "Reached",
    "Receipt",
    "SagaSummary",
    "SchemaTooNew",
    "Scored",
    "Source",
    "Spent",
    "Statement",
    "Stats",
    "Status",
    "StoreCorrupt",
    "StoreError",
    "StoreUnavailable",
    "Thing",
    "Trust",
    "Undigested",
    "Unembedded",
    "Usage",
    "UsageError",
    "Value",
    "ValueType",
    "Verdict",
    "Worker",
    "__version__",
    "open_memory",
]

# Loaded when first asked for: `everfact --help` needs none of it, and many a user of the models no event loop.
_LATER = {
    "Memory": "everfact.memory",
    "SagaSummary": "everfact.summarize",
    "Worker": "everfact.worker",
    "open_memory": "everfact.assemble",
}


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module(_LATER.get(name, "everfact.models")), name)
    raise AttributeError(f"module 'everfact' has no attribute {name!r}")
