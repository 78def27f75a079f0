"""Tells torch.compile about the device, once torch.compile is there: importing it takes longer than torch itself."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import torch

from .machine import Machine

_INTERFACES = "torch._dynamo.device_interface"


def register(machine: Machine, module: ModuleType) -> None:
    if _INTERFACES in sys.modules:
        _register(machine, module)
    else:
        sys.meta_path.insert(0, _After(_INTERFACES, machine, module))


class _After(importlib.abc.MetaPathFinder):
    """Finds a module as others do and does our part when it has been loaded."""

    def __init__(self, name: str, machine: Machine, module: ModuleType) -> None:
        self._name, self._machine, self._module = name, machine, module

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(loaded: ModuleType) -> None:
            execute(loaded)
            _register(self._machine, self._module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _register(machine: Machine, module: Any) -> None:  # noqa: ANN401 - the device module
    interfaces = sys.modules[_INTERFACES]

    class Interface(interfaces.DeviceInterface):  # type: ignore[name-defined, misc]
        device = module.device
        Event = module.Event
        Stream = module.Stream
        current_device = staticmethod(module.current_device)
        set_device = staticmethod(module.set_device)
        device_count = staticmethod(module.device_count)
        is_available = staticmethod(module.is_available)
        stream = staticmethod(module.stream)
        current_stream = staticmethod(module.current_stream)
        set_stream = staticmethod(module.set_stream)
        _set_stream_by_id = staticmethod(module._set_stream_by_id)
        synchronize = staticmethod(module.synchronize)
        get_compute_capability = staticmethod(module.get_device_capability)
        is_bf16_supported = staticmethod(module.is_bf16_supported)
        memory_allocated = staticmethod(module.memory_allocated)
        exchange_device = staticmethod(module._exchange_device)
        maybe_exchange_device = staticmethod(module._maybe_exchange_device)

        class Worker:
            set_device = staticmethod(module.set_device)
            current_device = staticmethod(module.current_device)

            @staticmethod
            def get_device_properties(device: object = None) -> object:
                return module.get_device_properties(device)

        @staticmethod
        def get_raw_stream(device_idx: int) -> int:
            return torch._C._accelerator_getStream(device_idx).stream_id

    for name in (machine.name, *(f"{machine.name}:{index}" for index in range(machine.devices))):
        interfaces.register_interface_for_device(name, Interface)
