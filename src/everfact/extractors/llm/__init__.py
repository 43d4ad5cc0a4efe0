"""Extraction by a model: any OpenAI-compatible server, Anthropic, Gemini, Groq. Needs the extra `everfact[llm]`."""

from __future__ import annotations

from everfact.extractors.llm.calls import Calls, Pace
from everfact.extractors.llm.endpoint import Endpoint
from everfact.extractors.llm.extractor import LlmExtractor, Options
from everfact.extractors.llm.prompts import ENTITY_TYPES

__all__ = ["ENTITY_TYPES", "Calls", "Endpoint", "LlmExtractor", "Options", "Pace"]
