"""What a step starts from, so that it can be run again: random numbers, buffers, and what an optimizer writes."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch
from torch import Tensor, nn


def _numpy() -> Any:  # noqa: ANN401 - a module
    """numpy.random, if the program has loaded it."""
    module = sys.modules.get("numpy")
    return getattr(module, "random", None)


class RandomState:
    """Of Python, numpy, torch and the devices' own generators. Taking it makes no device wait."""

    def __init__(self, devices: set[torch.device]) -> None:
        self.python = random.getstate()
        self.numpy = _numpy().get_state() if _numpy() else None
        self.torch = torch.get_rng_state()
        self.devices = {device: _module(device).get_rng_state(device) for device in devices if device.type != "cpu"}

    def restore(self) -> None:
        random.setstate(self.python)
        if self.numpy is not None:
            _numpy().set_state(self.numpy)
        torch.set_rng_state(self.torch)
        for device, state in self.devices.items():
            _module(device).set_rng_state(state, device)


def _module(device: torch.device) -> Any:  # noqa: ANN401 - a module
    return torch.get_device_module(device)


class Buffers:
    """Copies of a model's buffers. All, each time: kernels write some (running means) without counting a version."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._kept: dict[Tensor, Tensor] = {}

    @torch.no_grad()
    def take(self) -> None:
        self._kept = copied(list(self._model.buffers()), self._kept)

    @torch.no_grad()
    def restore(self) -> None:
        for buffer, copy in self._kept.items():
            buffer.copy_(copy)


def copied(tensors: list[Tensor], old: dict[Tensor, Tensor]) -> dict[Tensor, Tensor]:
    """A copy of each, in the memory of the old one where that fits."""
    kept = {tensor: old.get(tensor) for tensor in tensors}
    again, first = [], {}
    for tensor, copy in kept.items():
        if copy is not None and copy.shape == tensor.shape and copy.dtype == tensor.dtype:
            again.append(tensor)
        else:
            first[tensor] = tensor.detach().clone()
    if again:
        torch._foreach_copy_([kept[tensor] for tensor in again], [tensor.detach() for tensor in again])
    return {**kept, **first}


class Written:
    """Copies of what an optimizer's step writes: parameters and state, up to `limit` bytes of both together."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._copies: dict[Tensor, Tensor] = {}
        self._state: dict[Tensor, dict[str, Any]] = {}
        self.why_not = "nothing was kept"

    @torch.no_grad()
    def take(self, optimizer: torch.optim.Optimizer) -> bool:
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self._state = {p: dict(optimizer.state[p]) for p in parameters if p in optimizer.state}
        tensors = parameters + [v for s in self._state.values() for v in s.values() if isinstance(v, Tensor)]
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        if size > self._limit:
            self._copies = {}
            self.why_not = f"parameters and state take {size} bytes, and {self._limit} are kept (kept_mib)"
            return False
        self._copies = copied(tensors, self._copies)
        self.why_not = ""
        return True

    @torch.no_grad()
    def restore(self, optimizer: torch.optim.Optimizer) -> bool:
        """False, and why in `why_not`, if there is nothing to restore."""
        if self.why_not:
            return False
        for tensor, copy in self._copies.items():
            tensor.copy_(copy)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                optimizer.state.pop(parameter, None)
                if parameter in self._state:
                    optimizer.state[parameter] = dict(self._state[parameter])
        return True
