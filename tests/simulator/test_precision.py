"""Mixed precision: what is cast is what torch documents, and numbers are those of a CPU run under the same casts."""

from __future__ import annotations

import pytest
import sim_autocast
import torch
from sim_models import CASES
from sim_training import differences, train
from torch import nn

LOW = [torch.bfloat16, torch.float16]


@pytest.fixture(scope="module", autouse=True)
def _lists_on_the_cpu(device: str) -> None:
    sim_autocast.install()


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


@pytest.mark.parametrize("precision", LOW, ids=_name)
@pytest.mark.parametrize("case", [name for name in CASES if not name.startswith(("rnn", "lstm-p", "cells"))])
def test_equals_the_cpu_under_the_same_casts(device: str, case: str, precision: torch.dtype) -> None:
    mine = train(case, "adamw", device, precision)
    assert differences(mine, train(case, "adamw", "cpu", precision, autocast=sim_autocast.autocast)) == []


@pytest.mark.parametrize("optimizer", ["adamw-foreach", "adamw-fused", "sgd-fused"])
@pytest.mark.parametrize("precision", LOW, ids=_name)
def test_with_each_kind_of_optimizer(device: str, optimizer: str, precision: torch.dtype) -> None:
    mine = train("transformer-dropout", optimizer, device, precision)
    other = train("transformer-dropout", optimizer, "cpu", precision, autocast=sim_autocast.autocast)
    assert differences(mine, other) == []


@pytest.mark.parametrize("optimizer", ["adamw", "adamw-fused"])
def test_an_overflow_skips_the_step_and_halves_the_scale(device: str, optimizer: str) -> None:
    def spoil(step: int, model: nn.Module) -> None:
        if step == 2:
            next(model.parameters()).grad.view(-1)[0] = torch.inf

    runs = [
        train("convnet", optimizer, where, torch.float16, spoil=spoil, autocast=casts)
        for where, casts in ((device, None), ("cpu", sim_autocast.autocast))
    ]
    assert differences(*runs) == []
    assert [runs[0][f"step {step}.scale"].item() for step in range(5)] == [1024, 1024, 512, 512, 512]


def test_both_lists_are_complete() -> None:
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastPrivateUse1")
    mine = {name.removeprefix("aten::") for name in registered if name.startswith("aten::")}
    lists = (
        sim_autocast.LOWER,
        sim_autocast.LAYERS,
        sim_autocast.FULL,
        sim_autocast.FULL_BY_OPTION,
        sim_autocast.WIDEST,
    )
    documented = {name for names in lists for name in names.split()}
    # norm has another signature below; the rest are refused, or kernels of the first accelerator only.
    others = {
        "norm.Scalar",
        "norm.ScalarOpt_dim",
        "binary_cross_entropy",
        "_thnn_fused_lstm_cell",
        "_thnn_fused_gru_cell",
    }
    assert mine - documented == others | {"_scaled_dot_product_flash_attention"}
    assert documented - mine == set()


def test_what_is_unsafe_is_refused(device: str) -> None:
    p = torch.rand(3, device=device)
    with torch.autocast(device), pytest.raises(RuntimeError, match="unsafe to autocast"):
        nn.functional.binary_cross_entropy(p, p)
