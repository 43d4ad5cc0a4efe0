from __future__ import annotations

import pytest
from genai_prices import Usage, calc_price

from everfact.prices import _TABLE, Price, price_of


def test_model_is_priced_by_its_name() -> None:
    assert price_of("gpt-5-mini") == Price(0.25, 2.0)
    assert price_of("openai/gpt-5-mini-2025-08-07") == Price(0.25, 2.0)
    assert price_of("claude-haiku-4-5-latest") == price_of("claude-haiku-4-5@20251001") == Price(1.0, 5.0)
    assert price_of("gpt-5") == Price(1.25, 10.0)


@pytest.mark.parametrize("name", ["gpt-5-pro", "llama3.2:3b", "", "gpt-50"])
def test_model_of_another_name_has_no_price(name: str) -> None:
    assert price_of(name) is None


def test_price_is_for_a_million_tokens() -> None:
    assert Price(1.0, 5.0).of(1_000_000, 200_000) == 2.0


@pytest.mark.parametrize(("name", "sent", "answered"), _TABLE, ids=[row[0] for row in _TABLE])
def test_table_agrees_with_the_public_list_of_prices(name: str, sent: float, answered: float) -> None:
    """Of the package genai-prices, which comes with pydantic-ai: when it changes, so should our table and its date."""
    thousand = [calc_price(Usage(input_tokens=1000), name), calc_price(Usage(output_tokens=1000), name)]
    assert [float(part.total_price) * 1000 for part in thousand] == pytest.approx([sent, answered])
