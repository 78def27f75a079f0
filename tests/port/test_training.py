"""On the CPU: training programs, the example first, have the numbers after their port that they had before."""

from __future__ import annotations

import filecmp
from pathlib import Path

import pytest
from training import TRAININGS, Training, copied, has_torch, losses

pytestmark = pytest.mark.skipif(not has_torch(), reason="torch, numpy or yaml is not installed: no training runs")


@pytest.mark.parametrize("training", TRAININGS, ids=lambda training: training.name)
def test_numbers_are_those_of_before(training: Training, tmp_path: Path) -> None:
    original = copied(training, tmp_path / "original", ported=False)
    ported = copied(training, tmp_path / "ported", ported=True)
    program = training.command[0]
    changed = [
        p.name for p in ported.rglob("*.py") if not (old := original / p.relative_to(ported)).exists()
        or not filecmp.cmp(p, old, shallow=False)
    ]  # fmt: skip
    assert len(changed) >= 2, f"the port of {program} changed nothing but {changed}"
    assert losses(training, ported, cpu=True) == losses(training, original, cpu=True)
