"""Tells torch.compile about the device, once torch.compile is there: importing it takes longer than torch itself."""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch

from .machine import Machine

_INTERFACES = "torch._dynamo.device_interface"
_INDUCTOR = "torch._inductor.compile_fx"


def register(machine: Machine, module: ModuleType) -> None:
    _after(_INTERFACES, lambda: _register(machine, module))
    _after(_INDUCTOR, lambda: _run_captured_graphs(machine))


def _after(name: str, act: Callable[[], None]) -> None:
    if name in sys.modules:
        act()
    else:
        sys.meta_path.insert(0, _After(name, act))


class _After(importlib.abc.MetaPathFinder):
    """Finds a module as others do and does our part when it has been loaded."""

    def __init__(self, name: str, act: Callable[[], None]) -> None:
        self._name, self._act = name, act

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
            self._act()

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


def _devices(graph: Any, inputs: Sequence[object]) -> set[str]:  # noqa: ANN401 - a torch.fx.GraphModule
    values: list[object] = [*inputs, *graph.parameters(), *graph.buffers()]
    values += [node.meta.get("example_value") for node in graph.graph.nodes]
    return {value.device.type for value in values if isinstance(value, torch.Tensor)}


def _run_captured_graphs(machine: Machine) -> None:
    """Inductor writes no code for a simulated card: what it is handed runs operator by operator, as captured."""
    inductor = sys.modules[_INDUCTOR]
    compile_graph = inductor.compile_fx

    @functools.wraps(compile_graph)
    def compile_fx(model_: Any, example_inputs_: Sequence[object], *args: object, **keywords: object) -> object:  # noqa: ANN401
        if isinstance(model_, torch.fx.GraphModule) and machine.name in _devices(model_, example_inputs_):
            return model_.forward
        return compile_graph(model_, example_inputs_, *args, **keywords)

    inductor.compile_fx = compile_fx  # type: ignore[attr-defined]
