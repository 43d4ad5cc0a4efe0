from __future__ import annotations

import pytest

from everfact.embedders.fastembed import FastEmbedEmbedder
from everfact.errors import ConfigError

pytest.importorskip("fastembed", reason="needs everfact[fastembed]")


async def test_model_that_the_library_does_not_have_is_refused_with_some_that_it_has() -> None:
    with pytest.raises(ConfigError, match="no model nobody/knows-it") as caught:
        await FastEmbedEmbedder("nobody/knows-it").embed(["a"])
    assert "/" in caught.value.hint
