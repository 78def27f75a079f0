"""The modules of torch, made when they are asked for."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from typing import Any

from torch import _calls, _classes
from torch._calls import DEVICE_TYPE, MODE, Value

PLATFORM_TYPES = set(os.environ.get("RECORDING_TORCH_PLATFORMS", "").split()) - {"cuda"}
PLUG_INS = set(os.environ.get("RECORDING_TORCH_PLUG_INS", "").split())
FAKE = set(os.environ.get("RECORDING_TORCH_FAKE", "").split())  # packages to stand in for; "*": all that are missing
CARD_NAMES = [
    "Event", "FloatTensor", "HalfTensor", "LongTensor", "OutOfMemoryError", "Stream", "amp", "current_device",
    "current_stream", "device", "device_count", "empty_cache", "get_device_capability", "get_device_name",
    "get_device_properties", "get_rng_state", "is_available", "ipc_collect", "manual_seed", "manual_seed_all",
    "max_memory_allocated", "memory_allocated", "memory_stats", "memory_summary", "set_device", "set_rng_state", "stream",
    "synchronize",
]  # fmt: skip
MODULES = [
    "accelerator",
    "amp",
    "autograd",
    "autograd.profiler",
    "autograd.function",
    "backends",
    "backends.cuda",
    "backends.cudnn",
    "backends.mps",
    "cuda",
    "cuda.amp",
    "cuda.nccl",
    "cuda.nvtx",
    "distributed",
    "distributed.fsdp",
    "functional",
    "jit",
    "linalg",
    "multiprocessing",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.parallel",
    "nn.utils",
    "nn.utils.rnn",
    "onnx",
    "ops",
    "optim",
    "optim.lr_scheduler",
    "profiler",
    "random",
    "sparse",
    "special",
    "utils",
    "utils.checkpoint",
    "utils.data",
    "version",
    "hub",
    "fft",
    "testing",
    "types",
    "library",
    "compiler",
]
DERIVED = {"torch.nn.Sequential", "torch.nn.ModuleList"}


class TorchModule(types.ModuleType):
    """A module that has every name one asks for."""

    def __getattr__(self, name: str) -> Any:
        return attribute(self, name)


def attribute(module: types.ModuleType, name: str) -> Any:
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'")
    path = f"{module.__name__}.{name}"
    if module.__name__ == "torch" and name in PLATFORM_TYPES:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")
    if path.removeprefix("torch.") in MODULES:
        return importlib.import_module(path)
    value = made(path, name)
    setattr(module, name, value)
    return value


def made(path: str, name: str) -> Any:
    if name[0].isupper() and not name.isupper():
        if name.endswith(("Error", "Exception")):
            return type(name, (_classes.Future,), {})
        if path in DERIVED:
            return type(name, (_classes.Container,), {"path": path, "own": True})
        base = _classes.Module if path.startswith("torch.nn.") else _classes.Made
        return type(name, (base,), {"path": path, "own": True, "__module__": path.rpartition(".")[0]})
    return Value(path)


def dress_card(module: types.ModuleType, kind: str) -> None:
    """The module of a device type."""
    module.__all__ = CARD_NAMES
    module.set_device = _classes.set_device_of(kind)
    module.OutOfMemoryError = _classes.OutOfMemoryError


def dress_amp(module: types.ModuleType, kind: str) -> None:
    """The old spellings, which stand for the new ones."""
    module.autocast = type("autocast", (_classes.OldAutocast,), {"device_type": kind})
    module.GradScaler = type("GradScaler", (_classes.OldGradScaler,), {"device_type": kind})
    module.custom_fwd = lambda fwd=None, *, cast_inputs=None: _classes.custom_fwd(
        fwd, device_type=kind, cast_inputs=cast_inputs
    )
    module.custom_bwd = lambda bwd: _classes.custom_bwd(bwd, device_type=kind)


def dress(module: types.ModuleType) -> None:
    name = module.__name__
    kind = name.split(".")[1] if "." in name else ""
    if name in {"torch.cuda", f"torch.{DEVICE_TYPE}"}:
        dress_card(module, kind)
    elif name in {"torch.cuda.amp", f"torch.{DEVICE_TYPE}.amp"}:
        dress_amp(module, kind)
    elif name == "torch.amp":
        for thing in (_classes.autocast, _classes.GradScaler, _classes.custom_fwd, _classes.custom_bwd):
            setattr(module, thing.__name__, thing)
    elif name == "torch.nn":
        module.Module = _classes.Module
    elif name == "torch.version":
        module.cuda = "12.6" if MODE == "cuda" else None
        module.hip = None
    elif name == "torch.distributed":
        module.init_process_group = _classes.init_process_group


class TorchFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes every module below torch that there is no file for."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        parts = name.split(".")
        if parts[0] != "torch" or len(parts) < 2 or (parts[1] in PLATFORM_TYPES and not _calls.STATE.plugged):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        return TorchModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        dress(module)


class MissingFinder(TorchFinder):
    """Stands in for packages that are not installed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        top = name.split(".")[0]
        if top in PLUG_INS or top == "torch" or not (FAKE & {top, "*"}):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        module = TorchModule(spec.name)
        module.__all__ = []
        return module


def plug_in() -> None:
    """What a platform's plug-in does when it is imported: torch has one device more."""
    _calls.STATE.plugged = True
    module = importlib.import_module(f"torch.{DEVICE_TYPE}")
    setattr(sys.modules["torch"], DEVICE_TYPE, module)


def install(torch: types.ModuleType) -> None:
    torch.device = _classes.device
    torch.Tensor = _classes.Tensor
    torch.autocast = _classes.autocast
    torch.save = _classes.save
    torch.OutOfMemoryError = _classes.OutOfMemoryError
    torch.bool = Value("torch.bool")
    sys.meta_path.insert(0, TorchFinder())
    fakes = MissingFinder()
    sys.meta_path.append(fakes)
    for name in FAKE - {"*"}:
        sys.modules.setdefault(name, importlib.util.module_from_spec(fakes.find_spec(name)))
    for name in ("nn", "cuda", "version", "distributed"):
        importlib.import_module(f"torch.{name}")
