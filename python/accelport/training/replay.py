"""Runs a stopped step again, watched operator by operator, and leaves everything as the stop had left it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from . import skips
from .errors import StopReplay
from .finite import kinds
from .names import ModuleStack, Names
from .snapshot import Buffers, RandomState, Written
from .trace import Trace


@dataclass
class Rerun:
    """What the second run has shown; `recurred` is None if it could not be made."""

    trace: Trace | None = None
    recurred: bool | None = None
    why_not: str = ""
    compiled: bool = False
    gradients: tuple[str, ...] = ()  # names of parameters whose gradients were not finite in it

    @property
    def producer(self) -> dict[str, Any] | None:
        return self._producer if self.recurred else None

    _producer: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "done": self.recurred is not None,
            "recurred": self.recurred,
            "why_not": self.why_not or None,
            "operators": self.trace.operators if self.trace else 0,
            "compiled_regions_ran_eagerly": self.compiled,
        }


def is_compiled(model: nn.Module) -> bool:
    return any(type(m).__name__ == "OptimizedModule" or m._compiled_call_impl is not None for m in model.modules())


def eagerly(model: nn.Module) -> AbstractContextManager[Any]:
    """Compiled regions show no operators."""
    set_stance = getattr(torch.compiler, "set_stance", None)
    return set_stance("force_eager") if set_stance is not None and is_compiled(model) else nullcontext()


@contextmanager
def without_gradients(names: Names) -> Iterator[None]:
    """Gradients as `zero_grad` leaves them; those of now come back afterwards."""
    kept = {parameter: parameter.grad for parameter in names.parameters}
    for parameter in kept:
        parameter.grad = None
    try:
        yield
    finally:
        for parameter, gradient in kept.items():
            parameter.grad = gradient


@dataclass
class Replay:
    model: nn.Module
    names: Names
    scaler: Any

    def trace(self) -> Trace:
        return Trace(self.model, self.names, ModuleStack(self.names))

    def step(
        self, run: Callable[[], Any], trace: Trace, losses: list[Tensor], start: RandomState, buffers: Buffers
    ) -> Rerun:
        """Up to the point at which the guard stopped it; `run` raises StopReplay there."""
        now = RandomState(set(start.devices))
        start.restore()
        buffers.restore()
        if self.scaler is not None:
            skips.restart(self.scaler)
        rerun = Rerun(trace, compiled=is_compiled(self.model))
        with without_gradients(self.names):
            try:
                with eagerly(self.model):
                    trace.watched(run)
            except StopReplay:
                pass
            except Exception as error:  # the user's function, in circumstances that it was not written for
                rerun.why_not = f"the second run failed: {type(error).__name__}: {error}"
                return rerun
            finally:
                now.restore()
            self._conclude(rerun, losses)
        return rerun

    def _conclude(self, rerun: Rerun, losses: list[Tensor]) -> None:
        bad = {name: p.grad for p, name in self.names.parameters.items() if p.grad is not None and any(kinds(p.grad))}
        rerun.gradients = tuple(bad)
        bad_losses = [loss for loss in losses if any(kinds(loss))]
        rerun.recurred = bool(bad or bad_losses)
        if rerun.recurred and rerun.trace is not None:
            rerun._producer = rerun.trace.producer_of(bad_losses) or rerun.trace.producer_of(bad.values())

    def write(self, optimizer: torch.optim.Optimizer, kept: Written, run: Callable[[], Any]) -> Rerun:
        """The optimizer's step alone, from the parameters and moments that were kept."""
        if not kept.restore(optimizer):
            return Rerun(why_not=f"the step has been written already, and {kept.why_not}")
        trace = self.trace()
        trace.phase = "optimizer"
        rerun = Rerun(trace)
        try:
            trace.watched(run)
        except Exception as error:
            rerun.why_not = f"the second run failed: {type(error).__name__}: {error}"
            return rerun
        finally:
            written = [p for group in optimizer.param_groups for p in group["params"]]
            state = [v for p in written for v in optimizer.state.get(p, {}).values() if isinstance(v, Tensor)]
            bad = [t for t in written + state if any(kinds(t))]
            rerun._producer = trace.producer_of(bad)
            kept.restore(optimizer)
        rerun.recurred = bool(bad)
        return rerun
