"""What hooks alone can tell: the first module whose result, or whose result's gradient, was not finite."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from . import finite
from .names import Names


class ModuleLevel:
    """A scalar for the result of each innermost module, kept on the device and read only after a trip."""

    def __init__(self, model: nn.Module, names: Names) -> None:
        self._leaves = [m for m in model.modules() if next(m.children(), None) is None]
        self._names = names
        self._handles: list[Any] = []
        self.clear()

    def start(self) -> None:
        self._handles = [module.register_forward_hook(self._after) for module in self._leaves]

    def end(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def clear(self) -> None:
        self._forward: list[tuple[nn.Module, Tensor]] = []
        self._backward: list[tuple[nn.Module, Tensor]] = []

    def _after(self, module: nn.Module, given: Any, result: Any) -> None:  # noqa: ANN401 - passed on
        if not isinstance(result, Tensor) or not finite.floating([result]):
            return
        with torch.no_grad():
            self._forward.append((module, finite.indicator(finite.floating([result]), result.device)))
        if result.requires_grad:
            result.register_hook(lambda grad: self._keep(module, grad))

    def _keep(self, module: nn.Module, grad: Tensor) -> None:
        with torch.no_grad():
            self._backward.append((module, finite.indicator(finite.floating([grad]), grad.device)))

    def finding(self) -> dict[str, Any] | None:
        """Phase, module and its class; None if no module's result was bad."""
        for phase, kept in (("forward", self._forward), ("backward", self._backward)):
            for module, value in kept:
                if not finite.is_finite(value):
                    what = "its result" if phase == "forward" else "the gradient of its result"
                    name = self._names.modules.get(id(module), "")
                    return {"phase": phase, "module": name, "module_type": type(module).__name__, "what": what}
        return None
