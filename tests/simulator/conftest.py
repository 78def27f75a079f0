"""The tests of this folder need torch and the built extension; where one is missing, each module is skipped with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import simulated_run

PARTLY = {"test_run.py"}  # what needs no simulator runs there in any case


class _Skipped(pytest.Module):
    def collect(self) -> Iterator[pytest.Item]:
        pytest.skip(simulated_run.why_not() or "", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    if module_path.name in PARTLY or simulated_run.why_not() is None:
        return None
    return _Skipped.from_parent(parent, path=module_path)


@pytest.fixture(scope="session")
def device() -> str:
    import sim_card
    import torch

    torch.set_num_threads(1)
    return sim_card.start()
