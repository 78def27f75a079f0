"""Puts `torch.<name>` together, under the names that the vendor's package uses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from . import device, graphs, lazy, memory, mixed_precision, rng, streams, tensor_types
from .machine import Machine
from .machine import machine as current

# Names of torch's first accelerator module and what serves them; the platform's table renames and removes.
_PARTS: dict[str, object] = {
    "device": device.device,
    "device_of": device.device_of,
    "_DeviceGuard": device.DeviceGuard,
    "set_device": device.set_device,
    "current_device": device.current_device,
    "is_available": device.is_available,
    "device_count": device.device_count,
    "synchronize": device.synchronize,
    "get_device_name": device.get_device_name,
    "get_device_capability": device.get_device_capability,
    "get_device_properties": device.get_device_properties,
    "can_device_access_peer": device.can_device_access_peer,
    "get_arch_list": device.get_arch_list,
    "is_bf16_supported": device.is_bf16_supported,
    "is_tf32_supported": device.is_tf32_supported,
    "_exchange_device": device.exchange_device,
    "_maybe_exchange_device": device.maybe_exchange_device,
    "_sleep": device.sleep,
    "current_blas_handle": device.current_blas_handle,
    "get_amp_supported_dtype": device.get_amp_supported_dtype,
    "Stream": streams.Stream,
    "ExternalStream": streams.ExternalStream,
    "Event": streams.Event,
    "StreamContext": streams.StreamContext,
    "stream": streams.stream,
    "set_stream": streams.set_stream,
    "_set_stream_by_id": streams.set_stream_by_id,
    "current_stream": streams.current_stream,
    "default_stream": streams.default_stream,
    "empty_cache": memory.empty_cache,
    "memory_stats": memory.memory_stats,
    "memory_stats_as_nested_dict": memory.memory_stats_as_nested_dict,
    "memory_allocated": memory.memory_allocated,
    "max_memory_allocated": memory.max_memory_allocated,
    "memory_reserved": memory.memory_reserved,
    "max_memory_reserved": memory.max_memory_reserved,
    "reset_peak_memory_stats": memory.reset_peak_memory_stats,
    "reset_accumulated_memory_stats": memory.reset_accumulated_memory_stats,
    "reset_max_memory_allocated": memory.reset_max_memory_allocated,
    "reset_max_memory_cached": memory.reset_max_memory_cached,
    "memory_cached": memory.memory_reserved,
    "max_memory_cached": memory.max_memory_reserved,
    "mem_get_info": memory.mem_get_info,
    "set_per_process_memory_fraction": memory.set_per_process_memory_fraction,
    "memory_summary": memory.memory_summary,
    "memory_snapshot": memory.memory_snapshot,
    "_record_memory_history": memory.record_memory_history,
    "_dump_snapshot": memory.dump_snapshot,
    "_set_allocator_settings": memory.set_allocator_settings,
    "ipc_collect": memory.ipc_collect,
    "get_allocator_backend": memory.get_allocator_backend,
    "MemPool": memory.MemPool,
    "MemPoolContext": memory.MemPoolContext,
    "use_mem_pool": memory.use_mem_pool,
    "CUDAPluggableAllocator": memory.PluggableAllocator,
    "change_current_allocator": memory.change_current_allocator,
    "OutOfMemoryError": torch.OutOfMemoryError,
    "get_rng_state": rng.get_rng_state,
    "set_rng_state": rng.set_rng_state,
    "get_rng_state_all": rng.get_rng_state_all,
    "set_rng_state_all": rng.set_rng_state_all,
    "manual_seed": rng.manual_seed,
    "manual_seed_all": rng.manual_seed_all,
    "seed": rng.seed,
    "seed_all": rng.seed_all,
    "initial_seed": rng.initial_seed,
    "fork_rng": rng.fork_rng,
    "init": lazy.lazy_init,
    "is_initialized": lazy.is_initialized,
    "_lazy_init": lazy.lazy_init,
    "_lazy_call": lazy.lazy_call,
    "_is_in_bad_fork": lazy.is_in_bad_fork,
    "CUDAGraph": graphs.Graph,
    "graph": graphs.graph,
    "graph_pool_handle": graphs.graph_pool_handle,
    "make_graphed_callables": graphs.make_graphed_callables,
    "is_current_stream_capturing": graphs.is_current_stream_capturing,
    "amp_definitely_not_available": mixed_precision.amp_definitely_not_available,
}


class DeviceModule(ModuleType):
    """A module with two attributes that change while the program runs."""

    _machine: Machine

    @property
    def _initialized(self) -> bool:
        # The vendor's package copies the value before the card is started, and it stays that way.
        return "initialized_flag_stale" not in self._machine.quirks and lazy.is_initialized()

    @property
    def default_generators(self) -> tuple[torch.Generator, ...]:
        return rng.default_generators() if self._machine.initialized else ()


def make_module(machine: Machine) -> DeviceModule:
    name = f"torch.{machine.name}"
    module = DeviceModule(name, f"{machine.facts['title']}, simulated.")
    module._machine = machine
    handles = (machine.vendor_name(handle) or handle for handle in ("Stream.cuda_stream", "Event.cuda_event"))
    streams.name_handles(*(handle.rpartition(".")[2] for handle in handles))
    error = _make_error(machine)
    parts = {
        **_PARTS,
        **tensor_types.make_types(name),
        "amp": mixed_precision.make_module(name),
        "CudaError": error,
        "cudart": lambda: _runtime(machine),
        "check_error": _make_check(error),
        "nccl": SimpleNamespace(version=lambda: (2, 0, 0)),
        "profiler": ModuleType(f"{name}.profiler", "What the vendor's module holds is not simulated."),
    }
    for part, value in parts.items():
        known_as = machine.vendor_name(part)
        if known_as is not None:
            setattr(module, known_as, value)
    if machine.vendor_name("memory") is not None:
        module.memory = _memory_module(name)
    return module


def _memory_module(parent: str) -> ModuleType:
    module = ModuleType(f"{parent}.memory", memory.__doc__)
    for name, value in _PARTS.items():
        if getattr(value, "__module__", None) == memory.__name__:
            setattr(module, name, value)
    module._snapshot = memory.snapshot
    sys.modules[module.__name__] = module
    return module


def _make_error(machine: Machine) -> type[RuntimeError]:
    class DeviceError(RuntimeError):
        def __init__(self, code: int) -> None:
            super().__init__(f"{machine.facts['title']} error {code} ({code})")

    DeviceError.__name__ = DeviceError.__qualname__ = machine.vendor_name("CudaError") or "DeviceError"
    return DeviceError


def _make_check(error: type[RuntimeError]) -> Callable[[int], None]:
    def check_error(res: int) -> None:
        if int(res) != 0:
            raise error(int(res))

    return check_error


def _runtime(machine: Machine) -> SimpleNamespace:
    """The few calls of the vendor's runtime that the Python side reaches."""
    lazy.lazy_init()
    prefix = (machine.vendor_name("cudart") or "cudart").removesuffix("rt")
    calls: dict[str, Any] = {
        "MemGetInfo": memory.mem_get_info,
        "HostRegister": lambda *given: 0,
        "HostUnregister": lambda *given: 0,
        "GetErrorString": lambda code: "no error" if int(code) == 0 else f"error {int(code)}",
    }
    runtime = SimpleNamespace(**{prefix + name: call for name, call in calls.items()})
    setattr(runtime, prefix + "Error", SimpleNamespace(success=0))
    return runtime


class _BackendFlags(ModuleType):
    """`torch.backends.<name>`: one flag, kept as it was set. Numbers follow it only where `quirks` say so."""

    _allow_tf32 = True

    @property
    def allow_tf32(self) -> bool:
        return self._allow_tf32

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        self._allow_tf32 = bool(allowed)
        current.extension.set_tf32(self._allow_tf32)

    def set_flags(self, _allow_tf32: bool) -> tuple[bool]:
        before = (self.allow_tf32,)
        self.allow_tf32 = _allow_tf32
        return before

    def version(self) -> int:
        return 0


def patch_torch(machine: Machine, module: ModuleType) -> None:
    """What the vendor's package changes in torch itself."""
    facts = machine.facts
    if facts["version_name"]:
        setattr(torch.version, facts["version_name"], facts["package_version"] + "+simulated")
    if facts["backends_name"]:
        flags = _BackendFlags(f"torch.backends.{facts['backends_name']}")
        setattr(torch.backends, facts["backends_name"], flags)
        sys.modules[flags.__name__] = flags
    torch.random.fork_rng = rng.fork_rng
    torch.utils.checkpoint.DefaultDeviceType.set_device_type(_checkpoint_device(machine))


def _checkpoint_device(machine: Machine) -> str:
    return "cuda" if "checkpoint_default_cuda" in machine.quirks else machine.name
