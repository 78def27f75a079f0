"""Tells the fault schedule which calls belong to an optimizer's step."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from .machine import Machine


def watch_optimizers(machine: Machine) -> None:
    if not machine.settings.faults:
        return
    inner = torch.optim.Optimizer.profile_hook_step
    tell = machine.extension.set_in_optimizer

    def profile_hook_step(step: Callable[..., Any]) -> Callable[..., Any]:
        hooked = inner(step)

        @functools.wraps(hooked)
        def wrapper(*given: Any, **options: Any) -> Any:  # noqa: ANN401 - passed on
            tell(True)
            try:
                return hooked(*given, **options)
            finally:
                tell(False)

        return wrapper

    torch.optim.Optimizer.profile_hook_step = staticmethod(profile_hook_step)
