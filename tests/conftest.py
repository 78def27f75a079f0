"""What holds for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

SIMULATOR = Path(__file__).parent / "simulator"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Torch counts the devices at a process's first backward pass, so the tests that make a card come first."""
    items.sort(key=lambda item: not item.path.is_relative_to(SIMULATOR))
