"""Runs a program on a real torch where only a platform's card is there, and writes down its calls of torch.cuda.

usage: card.py CALLS DEVICE_TYPE PLUG_IN PROGRAM ARGUMENTS

The card is made up: its module answers, its tensors stay in the processor's memory, so that programs compute real numbers.
torch.cuda is there and finds no card; what the program's own files and the helper call of it is recorded, with the place."""

from __future__ import annotations

import contextlib
import functools
import runpy
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

CALLS, DEVICE_TYPE, PLUG_IN, PROGRAM = sys.argv[1:5]
TREE = Path.cwd().resolve()


def caller() -> str | None:
    """The place in the program's tree that called, if it is one."""
    frame = sys._getframe(2)
    path = Path(frame.f_code.co_filename)
    path = path if path.is_absolute() else TREE / path
    return f"{path.relative_to(TREE)}:{frame.f_lineno}" if path.is_relative_to(TREE) else None


class Recorded:
    """A function or class of torch.cuda that says who called it."""

    def __init__(self, name: str, original: Callable, log: list[str]) -> None:
        self.name, self.original, self.log = name, original, log
        functools.update_wrapper(self, original, updated=())

    def __call__(self, *arguments: object, **keywords: object) -> object:
        if place := caller():
            self.log.append(f"{self.name} at {place}")
        return self.original(*arguments, **keywords)

    def __getattr__(self, name: str) -> object:
        return getattr(self.original, name)


def record(module: types.ModuleType, name: str, log: list[str]) -> None:
    for key, value in list(vars(module).items()):
        if isinstance(value, types.FunctionType) and not key.startswith("_"):
            setattr(module, key, Recorded(f"{name}.{key}", value, log))


class Quiet:
    """A stream, an event, properties: whatever is asked of it is there."""

    def __init__(self, *_: object, **__: object) -> None:
        self.total_memory, self.name, self.multi_processor_count = 1 << 34, "made up", 1

    def __enter__(self) -> Quiet:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def elapsed_time(self, _: object) -> float:
        return 1.0

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def answers(value: object) -> Callable:
    return lambda *_, **__: value


def plug_in() -> types.ModuleType:
    """torch.DEVICE_TYPE with the names that torch.cuda has."""
    card = types.ModuleType(f"torch.{DEVICE_TYPE}")
    fixed = {
        "is_available": True, "device_count": 1, "current_device": 0, "is_initialized": True, "is_bf16_supported": False,
        "memory_allocated": 0, "max_memory_allocated": 0, "memory_reserved": 0, "max_memory_reserved": 0,
        "mem_get_info": (1 << 33, 1 << 34), "memory_stats": {}, "get_device_name": "made up", "_is_in_bad_fork": False,
        "get_amp_supported_dtype": [torch.float16, torch.bfloat16], "get_rng_state": torch.zeros(16, dtype=torch.uint8),
    }  # fmt: skip
    for name, value in fixed.items():
        setattr(card, name, answers(value))
    for name in ("set_device", "synchronize", "empty_cache", "manual_seed", "manual_seed_all", "set_rng_state",
                 "reset_peak_memory_stats", "_lazy_init", "init"):  # fmt: skip
        setattr(card, name, answers(None))
    for name in ("Stream", "Event", "stream", "device", "current_stream", "get_device_properties"):
        setattr(card, name, Quiet)
    card.OutOfMemoryError = torch.cuda.OutOfMemoryError
    card.amp = types.SimpleNamespace(
        GradScaler=lambda enabled=True, **keywords: torch.amp.GradScaler("cpu", enabled=enabled, **keywords),
        autocast=lambda *_, **__: contextlib.nullcontext(),
        custom_fwd=functools.partial(torch.amp.custom_fwd, device_type=DEVICE_TYPE),
        custom_bwd=functools.partial(torch.amp.custom_bwd, device_type=DEVICE_TYPE),
    )
    return card


class OnTheProcessor(TorchFunctionMode):
    """What is put on the card stays where it is."""

    @staticmethod
    def here(value: Any) -> Any:  # noqa: ANN401 (any argument)
        if isinstance(value, torch.device) and value.type == DEVICE_TYPE:
            return torch.device("cpu")
        if isinstance(value, str) and value.split(":")[0] == DEVICE_TYPE:
            return "cpu"
        return value

    def __torch_function__(
        self, function: Callable, _: object, arguments: tuple = (), keywords: dict | None = None
    ) -> object:
        name = getattr(function, "__name__", "")
        if name == "pin_memory":
            return arguments[0]
        if function is torch.device:
            return function(*arguments, **(keywords or {}))
        arguments = tuple(self.here(a) for a in arguments)
        keywords = {key: self.here(value) for key, value in (keywords or {}).items()}
        return function(*arguments, **keywords)


def moved(module: torch.nn.Module, *arguments: object, **keywords: object) -> torch.nn.Module:
    here = OnTheProcessor.here
    return MOVE(module, *(here(a) for a in arguments), **{key: here(value) for key, value in keywords.items()})


MOVE = torch.nn.Module.to


def loaded(*arguments: object, **keywords: object) -> object:
    keywords["map_location"] = "cpu"
    return LOAD(*arguments[:1], **keywords)


LOAD = torch.load


def main() -> None:
    log: list[str] = []
    torch.utils.rename_privateuse1_backend(DEVICE_TYPE)
    card = plug_in()
    torch._register_device_module(DEVICE_TYPE, card)
    sys.modules[PLUG_IN] = types.ModuleType(PLUG_IN)
    torch.nn.Module.to, torch.load = moved, loaded
    torch.set_num_threads(1)
    record(torch.cuda, "torch.cuda", log)
    for name in ("amp.GradScaler", "amp.autocast", "Stream", "Event", "FloatTensor"):
        owner, _, last = name.rpartition(".")
        place = torch.cuda.amp if owner else torch.cuda
        setattr(place, last, Recorded(f"torch.cuda.{name}", getattr(place, last), log))
    move = torch.Tensor.cuda

    def cuda(tensor: torch.Tensor, *arguments: object, **keywords: object) -> torch.Tensor:
        log.append(f"Tensor.cuda at {caller()}")
        return move(tensor, *arguments, **keywords)

    torch.Tensor.cuda = cuda
    torch.Tensor.record_stream = answers(None)
    warnings.simplefilter("ignore")
    sys.argv = sys.argv[4:]
    sys.path[0] = str(Path(PROGRAM).resolve().parent)
    try:
        with OnTheProcessor():
            runpy.run_path(PROGRAM, run_name="__main__")
    finally:
        Path(CALLS).write_text("".join(f"{call}\n" for call in log))


if __name__ == "__main__":
    main()
