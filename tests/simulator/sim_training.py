"""Trains a case on a device, and everything that must be equal to the last bit afterwards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from sim_models import CASES
from torch import Tensor, nn

STEPS = 5

OPTIMIZERS: dict[str, Callable[[list[nn.Parameter]], torch.optim.Optimizer]] = {
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2),
    "adamw-foreach": lambda p: torch.optim.AdamW(p, lr=1e-2, foreach=True),
    "adamw-fused": lambda p: torch.optim.AdamW(p, lr=1e-2, fused=True),
    "adam": lambda p: torch.optim.Adam(p, lr=1e-2, amsgrad=True),
    "adam-fused": lambda p: torch.optim.Adam(p, lr=1e-2, fused=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "sgd-fused": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, fused=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-3),
}

Trained = dict[str, Tensor]


def _tensors(trained: Trained, prefix: str, values: object) -> None:
    """Every tensor inside `values`, by the path to it."""
    if isinstance(values, Tensor):
        trained[prefix] = values.detach().cpu().clone()
    elif isinstance(values, dict):
        for key, value in values.items():
            _tensors(trained, f"{prefix}.{key}", value)
    elif isinstance(values, list):
        for index, value in enumerate(values):
            _tensors(trained, f"{prefix}.{index}", value)
    elif isinstance(values, int | float):
        trained[prefix] = torch.tensor(values, dtype=torch.float64)


def train(
    case: str,
    optimizer: str,
    device: str,
    precision: torch.dtype = torch.float32,
    steps: int = STEPS,
    spoil: Callable[[int, nn.Module], None] = lambda step, model: None,
    autocast: Callable[[torch.dtype], AbstractContextManager[object]] | None = None,
) -> Trained:
    """Losses, the last gradients, parameters, buffers and the optimizer's state. Under fp16 with a scaler."""
    autocast = autocast or (lambda dtype: torch.autocast(device.split(":")[0], dtype=dtype))
    torch.manual_seed(7)
    what = CASES[case]
    x, y = what.inputs(), what.labels()
    model = what.make().to(device)
    x, y = x.to(device), y.to(device)
    opt = OPTIMIZERS[optimizer](list(model.parameters()))
    scaler = torch.amp.GradScaler(device.split(":")[0], init_scale=2.0**10, enabled=precision == torch.float16)
    trained: Trained = {}
    for step in range(steps):
        opt.zero_grad()
        with autocast(precision) if precision != torch.float32 else nullcontext():
            loss = what.loss(model, x, y)
        scaler.scale(loss).backward()
        spoil(step, model)
        scaler.unscale_(opt)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        _tensors(trained, f"step {step}", {"loss": loss, "norm": norm, "scale": scaler.get_scale()})
    _tensors(trained, "gradient", {name: p.grad for name, p in model.named_parameters()})
    _tensors(trained, "model", dict(model.state_dict()))
    _tensors(trained, "optimizer", opt.state_dict()["state"])
    return trained


def differences(one: Trained, other: Trained) -> list[str]:
    """What is not equal to the last bit; NaN equals NaN of the same bits."""
    out = sorted(one.keys() ^ other.keys())
    for key in one.keys() & other.keys():
        a, b = one[key], other[key]
        if a.dtype != b.dtype or a.shape != b.shape:
            out.append(f"{key}: {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}")
        elif a.contiguous().view(-1).view(torch.uint8).ne(b.contiguous().view(-1).view(torch.uint8)).any():
            out.append(f"{key}: by {(a.double() - b.double()).abs().max().item():.3g}")
    return sorted(out)
