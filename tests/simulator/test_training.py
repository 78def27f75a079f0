"""On the simulated card a model trains as on the CPU, to the last bit."""

from __future__ import annotations

import pytest
import torch
from sim_models import CASES
from sim_training import OPTIMIZERS, differences, train

TABLE = [(case, "adamw") for case in CASES] + [
    (case, optimizer)
    for case in ("transformer-dropout", "convnet", "lstm")
    for optimizer in OPTIMIZERS
    if optimizer != "adamw"
]


@pytest.mark.parametrize(("case", "optimizer"), TABLE, ids=["-".join(row) for row in TABLE])
def test_equals_the_cpu(device: str, case: str, optimizer: str) -> None:
    assert differences(train(case, optimizer, device), train(case, optimizer, "cpu")) == []


@pytest.mark.parametrize("case", ["transformer-dropout", "convnet", "lstm", "diffusion"])
def test_equals_the_cpu_with_two_threads(device: str, case: str) -> None:
    torch.set_num_threads(2)
    try:
        assert differences(train(case, "adamw", device), train(case, "adamw", "cpu")) == []
    finally:
        torch.set_num_threads(1)


def test_the_second_card_is_the_same(device: str) -> None:
    assert differences(train("convnet", "adamw", f"{device}:1"), train("convnet", "adamw", "cpu")) == []


def test_differences_are_seen(device: str) -> None:
    one, other = train("convnet", "sgd", device), train("convnet", "sgd", "cpu")
    other["step 3.loss"] = torch.nextafter(other["step 3.loss"], torch.tensor(9.0))
    assert len(differences(one, other)) == 1
