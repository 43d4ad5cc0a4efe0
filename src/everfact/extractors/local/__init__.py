"""Extraction without a model: rules over words, their classes and known names."""

from everfact.extractors.local.extractor import LocalExtractor, extract_text

__all__ = ["LocalExtractor", "extract_text"]
