"""The faults that happen on Python's side, and what the fault schedule cannot see from below."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from .machine import Machine


def register(machine: Machine) -> None:
    if not machine.settings.faults:
        return
    _watch_optimizers(machine)
    if machine.extension.plans_corrupt_save():
        _corrupt_saves(machine)
    if machine.extension.plans_host_read():
        _hide_addresses(machine)


def _watch_optimizers(machine: Machine) -> None:
    """Which calls belong to an optimizer's step."""
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


def _corrupt_saves(machine: Machine) -> None:
    """One bit of what `torch.save` has written is changed, as by a bad disk."""
    inner = torch.save

    @functools.wraps(inner)
    def save(obj: object, f: Any, *given: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        seekable = hasattr(f, "seek") and f.seekable()
        begin = f.tell() if seekable else 0
        inner(obj, f, *given, **options)
        byte = machine.extension.corrupt_save()
        if byte is None:
            return
        if isinstance(f, (str, os.PathLike)):
            with Path(f).open("r+b") as file:
                _flip(file, 0, byte)
        elif seekable:
            _flip(f, begin, byte)

    torch.save = save


def _flip(file: Any, begin: int, byte: int) -> None:  # noqa: ANN401 - a file or what behaves like one
    """Byte 0 means one in the middle: there lie the tensors."""
    end = file.seek(0, os.SEEK_END)
    place = begin + (byte or (end - begin) // 2) % max(end - begin, 1)
    file.seek(place)
    old = file.read(1)
    file.seek(place)
    file.write(bytes([old[0] ^ 0x10]))
    file.seek(end)


def _hide_addresses(machine: Machine) -> None:
    """`data_ptr()` gives where a tensor lies on the card; the host has nothing there."""
    visible = machine.extension.visible_address
    inner = torch.Tensor.data_ptr

    @functools.wraps(inner)
    def data_ptr(self: torch.Tensor) -> int:
        address = visible(self)
        return inner(self) if address is None else address

    torch.Tensor.data_ptr = data_ptr
