"""Quirks of the platform that are made on Python's side; the others are known to the extension by their ids."""

from __future__ import annotations

import functools
from typing import Any

import torch

from .machine import Machine


def register(machine: Machine) -> None:
    if "rms_norm_epsilon_of_double" in machine.quirks:
        _widen_epsilon(machine)


def _widen_epsilon(machine: Machine) -> None:
    inner = torch.nn.functional.rms_norm

    @functools.wraps(inner)
    def rms_norm(
        input: torch.Tensor,  # noqa: A002 - torch's own name
        normalized_shape: Any,  # noqa: ANN401 - passed on
        weight: torch.Tensor | None = None,
        eps: float | None = None,
    ) -> torch.Tensor:
        if eps is None and input.device.type == machine.name:
            eps = torch.finfo(torch.float64).eps
        return inner(input, normalized_shape, weight, eps)

    torch.nn.functional.rms_norm = rms_norm
