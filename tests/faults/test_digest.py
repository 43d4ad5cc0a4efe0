"""SIGKILL in the middle of digesting."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults.runs import digests


@pytest.mark.slow  # waits for the lease of the last one killed
def test_killed_digestion_completes_afterwards_with_the_same_facts(tmp_path: Path) -> None:
    assert digests.run(tmp_path, kills=6, seed=1) == (6, True)
