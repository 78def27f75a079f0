"""`amp` of the device module."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import torch

from .machine import machine


class autocast(torch.amp.autocast_mode.autocast):  # noqa: N801 - torch's own name
    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__(machine.name, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(
            machine.name,
            init_scale=init_scale,
            growth_factor=growth_factor,
            backoff_factor=backoff_factor,
            growth_interval=growth_interval,
            enabled=enabled,
        )


def custom_fwd(fwd: Any = None, *, cast_inputs: torch.dtype | None = None) -> Any:  # noqa: ANN401
    return functools.partial(torch.amp.custom_fwd, device_type=machine.name)(fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd: Any = None) -> Any:  # noqa: ANN401 - a decorator
    return functools.partial(torch.amp.custom_bwd, device_type=machine.name)(bwd)


def amp_definitely_not_available() -> bool:
    return machine.devices == 0


def make_module(parent: str) -> ModuleType:
    """The module with its two parts, as torch lays them out."""
    amp = ModuleType(f"{parent}.amp", __doc__)
    modes = ModuleType(f"{parent}.amp.autocast_mode")
    scaler = ModuleType(f"{parent}.amp.grad_scaler")
    for module, names in ((modes, (autocast, custom_fwd, custom_bwd)), (scaler, (GradScaler,))):
        for part in names:
            setattr(module, part.__name__, part)
            setattr(amp, part.__name__, part)
    scaler.OptState = torch.amp.grad_scaler.OptState
    amp.autocast_mode, amp.grad_scaler = modes, scaler
    amp.__path__ = []
    for module in (amp, modes, scaler):
        sys.modules[module.__name__] = module
    return amp
