"""The record of calls, and the value that stands for whatever is not known: it can be called, indexed, compared and
asked for attributes, and carries how it came about as its label."""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import json
import os
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

MODE = os.environ.get("RECORDING_TORCH_MODE", "cuda")  # or "platform"
DEVICE_TYPE = os.environ.get("RECORDING_TORCH_DEVICE", "cuda" if MODE == "cuda" else "")
HERE = os.path.dirname(__file__) + os.sep
LONGEST = 160
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
STEPS = int(os.environ.get("RECORDING_TORCH_STEPS", "100000"))  # calls before a program is stopped


class Version(str):
    """`torch.__version__`: compared by numbers, as torch's own is."""

    def _parts(self, other: object) -> tuple[tuple[int, ...], tuple[int, ...]]:
        def numbers(text: object) -> tuple[int, ...]:
            if isinstance(text, tuple):
                return tuple(text)
            return tuple(int(part) for part in str(text).split("+")[0].split(".") if part.isdigit())

        return numbers(self), numbers(other)

    def __lt__(self, other: object) -> bool:
        mine, others = self._parts(other)
        return mine < others

    def __le__(self, other: object) -> bool:
        return not self > other

    def __gt__(self, other: object) -> bool:
        mine, others = self._parts(other)
        return mine > others

    def __ge__(self, other: object) -> bool:
        return not self < other


class Stopped(BaseException):
    """More calls than a test needs."""


class State:
    """What one process has recorded."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.choice = int(os.environ.get("RECORDING_TORCH_CHOICE", "0"))
        self.current = 0  # the card in use
        self.plugged = MODE == "cuda"
        self.writing = False


STATE = State()


def caller() -> str:
    """file:line of the nearest frame that is neither ours nor Python's own."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((HERE, "<frozen")) and os.path.basename(name) != "accelerator.py":
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def shown(value: object) -> Any:
    """A value as JSON, telling types apart that Python prints alike."""
    if isinstance(value, bool | int | float | str | type(None)):
        return value
    if isinstance(value, dict):
        return {"dict": [[shown(key), shown(item)] for key, item in value.items()]}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [shown(item) for item in value]}
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        return {"function": value.__qualname__}
    if isinstance(value, type | types.ModuleType):
        return {type(value).__name__: value.__name__}
    if isinstance(value, functools.partial):
        return {"partial": [shown(value.func), shown(value.args), shown(value.keywords)]}
    if isinstance(value, Value) or hasattr(type(value), "recorded_label"):
        return {"value": type(value).recorded_label(value)}
    if type(value).__repr__ is object.__repr__:
        return {"object": type(value).__name__}
    return {type(value).__name__: ADDRESS.sub("", repr(value))}


def is_nvidia(path: str, arguments: list[Any]) -> str | None:
    """Why a call is wrong on a machine that has no card of NVIDIA's."""
    if path == "torch.cuda" or path.startswith("torch.cuda."):
        return "torch.cuda"
    text = json.dumps(arguments)
    return "a device of type cuda" if '"cuda"' in text or '"cuda:' in text or "device('cuda'" in text else None


def record(path: str, arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None) -> Value:
    """Writes the call down; gives the value that stands for its result."""
    call: dict[str, Any] = {
        "call": path,
        "arguments": [shown(a) for a in arguments],
        "keywords": {name: shown(value) for name, value in sorted((keywords or {}).items())},
        "at": caller(),
    }
    if MODE == "platform":
        wrong = is_nvidia(path, [call["arguments"], call["keywords"]])
        if wrong:
            call["violation"] = wrong
    STATE.calls.append(call)
    write(call)
    if len(STATE.calls) >= STEPS:
        raise Stopped
    return Value(f"#{len(STATE.calls)}")


def write(call: dict[str, Any]) -> None:
    """Appends to the log, so that nothing is lost when the program dies."""
    path = os.environ.get("RECORDING_TORCH_LOG")
    if not path or STATE.writing:
        return
    STATE.writing = True
    with contextlib.suppress(OSError), open(path, "a") as log:
        log.write(json.dumps({**call, "process": os.getpid()}) + "\n")
    STATE.writing = False


def chosen(label: str) -> bool:
    """Whether an unknown value counts as true. Choice 0: yes; 1: no; else either, by its label."""
    if STATE.choice < 2:
        return STATE.choice == 0
    return hashlib.sha256(f"{STATE.choice} {label}".encode()).digest()[0] % 2 == 0


@functools.cache
def unpacked(code: types.CodeType, offset: int) -> int:
    """How many values the instruction at `offset` takes apart; 2 if it does not say."""
    for instruction in dis.get_instructions(code):
        if instruction.offset == offset and instruction.opname == "UNPACK_SEQUENCE":
            return int(instruction.arg or 2)
        if instruction.offset == offset and instruction.opname == "UNPACK_EX":
            return (instruction.arg or 0) % 256 + (instruction.arg or 0) // 256 + 1
    return 2


class Value:
    """Something of torch, or unknown."""

    def __init__(self, label: str) -> None:
        if len(label) > LONGEST:
            label = label[:60] + "~" + hashlib.sha256(label.encode()).hexdigest()[:12]
        self.__dict__["recorded"] = label

    def recorded_label(self) -> str:
        return self.__dict__.get("recorded") or type(self).__name__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"{Value.recorded_label(self)} has no {name}")
        child = Value(f"{Value.recorded_label(self)}.{name}")
        self.__dict__[name] = child
        return child

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        label = Value.recorded_label(self)
        result = record(label, arguments, keywords)
        # A decorator gives the function back, so that it can be run too.
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], types.FunctionType | type):
            return arguments[0]
        return answer(label, result)

    # Moves, in the one form that torch's own have underneath.
    def cuda(self, device: Any = None, non_blocking: Any = False, **others: Any) -> Any:
        where = card(device)
        return move(self, (where,), {"non_blocking": non_blocking, **others})

    def to(self, *arguments: Any, **keywords: Any) -> Any:
        return move(self, arguments, keywords)

    def __bool__(self) -> bool:
        return chosen(Value.recorded_label(self))

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[Any]:
        label, frame = Value.recorded_label(self), sys._getframe(1)
        return iter([Value(f"{label}[{i}]") for i in range(unpacked(frame.f_code, frame.f_lasti))])

    def __contains__(self, item: Any) -> bool:
        return chosen(f"{label_of(item)} in {Value.recorded_label(self)}")

    def __getitem__(self, key: Any) -> Value:
        if isinstance(key, int) and key > 8:
            raise IndexError(key)
        return Value(f"{Value.recorded_label(self)}[{label_of(key)}]")

    def __setitem__(self, key: Any, value: Any) -> None:
        record(f"{Value.recorded_label(self)}.__setitem__", (key, value))

    def __delitem__(self, key: Any) -> None:
        record(f"{Value.recorded_label(self)}.__delitem__", (key,))

    def __enter__(self) -> Value:
        return record(f"{Value.recorded_label(self)}.__enter__")

    def __exit__(self, *problem: object) -> None:
        record(f"{Value.recorded_label(self)}.__exit__", (problem[0],))

    def __int__(self) -> int:
        return 1

    def __index__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 1.0

    def __hash__(self) -> int:
        return hash(Value.recorded_label(self))

    def __repr__(self) -> str:
        return f"<{Value.recorded_label(self)}>"

    def __str__(self) -> str:
        return f"<{Value.recorded_label(self)}>"

    def __format__(self, specification: str) -> str:
        return f"<{Value.recorded_label(self)}:{specification}>"


def label_of(value: object) -> str:
    return Value.recorded_label(value) if isinstance(value, Value) else repr(value)


def card(device: Any) -> Any:
    """What `.cuda(device)` moves to."""
    from torch._classes import device as make

    if isinstance(device, str | make):
        where = make(device)
        if where.type != "cuda":
            raise RuntimeError("Invalid device, must be cuda device")
        return where
    return make("cuda") if device is None else make("cuda", device)


def move(what: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """`.to(…)`: a device by its name and what is the default are left out."""
    keywords = dict(keywords)
    if not arguments and "device" in keywords:
        arguments = (keywords.pop("device"),)
    if keywords.get("non_blocking", 0) is False:
        del keywords["non_blocking"]
    return record(f"{type(what).recorded_label(what)}.to", arguments, keywords)


def operator(name: str) -> Callable[..., Value]:
    def apply(self: Value, *others: Any) -> Value:
        return Value(f"({Value.recorded_label(self)} {name} {' '.join(map(label_of, others))})")

    return apply


for _name in [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "divmod",
    "pow",
    "matmul",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
    "radd",
    "rsub",
    "rmul",
    "rtruediv",
    "rfloordiv",
    "rmod",
    "rpow",
    "rmatmul",
    "rlshift",
    "rrshift",
    "rand",
    "ror",
    "rxor",
    "neg",
    "pos",
    "abs",
    "invert",
    "round",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
]:
    setattr(Value, f"__{_name}__", operator(_name))

ANSWERS: dict[str, Any] = {
    "torch.distributed.is_available": True,
    "torch.distributed.is_initialized": False,
    "torch.distributed.get_rank": 0,
    "torch.distributed.get_world_size": 1,
    "torch.distributed.get_backend": None,  # set when a group is made
    "torch.backends.mps.is_available": False,
    "torch.backends.mps.is_built": False,
    "torch.get_num_threads": 1,
    "torch.initial_seed": 1,
}
# What a device's module answers: with a card, without one.
CARD_ANSWERS: dict[str, tuple[Any, Any]] = {
    "is_available": (True, False),
    "is_initialized": (True, False),
    "is_bf16_supported": (True, False),
    "device_count": (2, 0),
    "get_device_name": ("a recorded card", ""),
    "get_device_capability": ((9, 0), (0, 0)),
    "memory_allocated": (1024, 0),
    "max_memory_allocated": (2048, 0),
    "memory_reserved": (4096, 0),
    "max_memory_reserved": (4096, 0),
    "mem_get_info": ((2048, 4096), (0, 0)),
}


def answer(path: str, result: Value) -> Any:
    """What a call gives if that is known, else `result`."""
    if path in ANSWERS:
        return ANSWERS[path]
    kind, _, name = path.removeprefix("torch.").partition(".")
    if not path.startswith("torch.") or kind not in {"cuda", DEVICE_TYPE}:
        return result
    if name == "current_device":
        return STATE.current
    if name in CARD_ANSWERS:
        return CARD_ANSWERS[name][0 if kind == DEVICE_TYPE else 1]
    return result
