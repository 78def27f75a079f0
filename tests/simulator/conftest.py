"""The engine's tests need torch and the built extension."""

from __future__ import annotations

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def device() -> str:
    import sim_card

    return sim_card.start()
