"""On a real CUDA card: training programs lose the same, bit by bit, before and after their port."""

from __future__ import annotations

from pathlib import Path

import pytest
from training import TRAININGS, Training, copied, has_card, losses

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not has_card(), reason="no CUDA card: losses before and after the port are not compared on one"),
]


@pytest.mark.parametrize("training", TRAININGS, ids=lambda training: training.name)
def test_losses_are_equal_to_the_last_bit(training: Training, tmp_path: Path) -> None:
    original = copied(training, tmp_path / "original", ported=False)
    before = losses(training, original, cpu=False)
    again = losses(training, copied(training, tmp_path / "again", ported=False), cpu=False)
    assert again == before, "two runs of the original differ, so nothing can be said of the port"
    assert losses(training, copied(training, tmp_path / "ported", ported=True), cpu=False) == before
