"""Names of parameters and modules, and which module runs."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as hooks

from .finite import local


def plain(name: str) -> str:
    """A name without what wrappers (DDP, compile, FSDP, checkpointing) put in front."""
    wrappers = ("module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")
    parts = name.split(".")
    while parts and parts[0] in wrappers:
        parts.pop(0)
    return ".".join(part for part in parts if part not in wrappers[1:])


def storage(tensor: Tensor) -> int:
    """Which memory a tensor lies in; views share it. 0 if it has none."""
    try:
        return local(tensor).untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):
        return 0


class Names:
    """Of one model and what its optimizers keep for it."""

    def __init__(self, model: nn.Module, optimizers: list[torch.optim.Optimizer]) -> None:
        self._optimizers = optimizers
        self.modules = {id(module): plain(name) for name, module in model.named_modules()}
        self.parameters = {parameter: plain(name) for name, parameter in model.named_parameters()}
        self.buffers = {buffer: plain(name) for name, buffer in model.named_buffers()}

    def by_storage(self) -> dict[int, str]:
        """Names of parameters, of their gradients and moments, and of buffers, by the memory they lie in now."""
        lie = {storage(buffer): name for buffer, name in self.buffers.items()}
        for optimizer in self._optimizers:
            for p, state in optimizer.state.items():
                name = self.parameters.get(p, "")
                lie.update({storage(value): name for value in state.values() if isinstance(value, Tensor)})
        lie.update({storage(p.grad): name for p, name in self.parameters.items() if p.grad is not None})
        lie.update({storage(p): name for p, name in self.parameters.items()})
        lie.pop(0, None)
        return lie

    def module_of(self, parameter: str) -> str:
        return parameter.rpartition(".")[0]


class ModuleStack:
    """Which module's forward runs, for any module of the process, while this is entered."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._running: list[tuple[str, str]] = []
        self._autocast: list[dict[str, Any]] = []
        self._device = next(iter(names.parameters), torch.empty(0)).device.type

    @property
    def now(self) -> tuple[str, str]:
        """Path and class of the innermost one that belongs to the model or stands outside it; "" if none runs."""
        return self._running[-1] if self._running else ("", "")

    @property
    def autocast(self) -> dict[str, Any] | None:
        """As the innermost module began: torch's own kernels of autocast switch it off before they call on."""
        return self._autocast[-1] if self._autocast else None

    def __enter__(self) -> ModuleStack:
        self._handles = [
            hooks.register_module_forward_pre_hook(self._begin),
            hooks.register_module_forward_hook(self._end, always_call=True),
        ]
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for handle in self._handles:
            handle.remove()

    def _begin(self, module: nn.Module, given: Any) -> None:  # noqa: ANN401 - passed on
        kind = type(module).__name__
        self._autocast.append(autocast_state(self._device))
        outer = self._running[-1][0] if self._running else ""
        self._running.append((self._names.modules.get(id(module), outer or kind), kind))

    def _end(self, *_: Any) -> None:  # noqa: ANN401 - passed on
        if self._running:
            self._running.pop()
            self._autocast.pop()


def autocast_state(device: str) -> dict[str, Any]:
    enabled = torch.is_autocast_enabled(device)
    return {
        "enabled": enabled,
        "dtype": str(torch.get_autocast_dtype(device)).removeprefix("torch.") if enabled else None,
    }


def attention_state(model: nn.Module) -> dict[str, Any]:
    """What is asked for by the model's configuration, and which of torch's own kernels may be taken."""
    config = getattr(model, "config", None)
    state: dict[str, Any] = {"requested": getattr(config, "_attn_implementation", None)}
    for kernel in ("flash", "mem_efficient", "math", "cudnn"):
        ask = getattr(torch._C, f"_get_{kernel}_sdp_enabled", None)
        if ask is not None:
            state[kernel] = bool(ask())
    return state
