"""The guard itself: the order of a step, and what happens when a gate closes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn

from . import finite, ranks, report
from .data import EXPORT, thresholds
from .errors import NonFiniteStep, StopReplay, Trip
from .exported import Exported
from .gates import Gates
from .module_level import ModuleLevel
from .names import Names
from .patches import Listener, Patches, listen
from .replay import Replay, Rerun
from .skips import Skips
from .snapshot import Buffers, RandomState, Written
from .steps import Steps


class Guard(Listener):
    """See `accelport.guard`. One for a training loop; not for several threads."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer | list[torch.optim.Optimizer],
        scaler: Any = None,  # noqa: ANN401 - a gradient scaler
        every: int = 1,
        *,
        state: bool = True,
        kept_mib: float | None = None,
        evidence: str | Path | bool | None = None,
        group: Any = None,  # noqa: ANN401 - a process group
    ) -> None:
        if every < 1:
            raise ValueError(f"every is {every}; it must be 1 or more")
        self.model, self.scaler, self.group = model, scaler, group
        self.evidence = report.FOLDER if evidence is True else evidence or None
        self.optimizers = list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
        self.names = Names(model, self.optimizers)
        self.steps = Steps(every)
        self.skips = Skips()
        self.state = state
        devices = {p.device for p in model.parameters()} | {b.device for b in model.buffers()}
        self._devices = devices or {torch.device("cpu")}
        first = next(model.parameters(), torch.empty(0)).device
        self._gates = Gates(first, group)
        self._buffers = Buffers(model)
        self._kept = Written(int((thresholds()["kept_mib"] if kept_mib is None else kept_mib) * 2**20))
        self._exported = Exported(model)
        self._module_level = ModuleLevel(model, self.names)
        self._replay = Replay(model, self.names, scaler)
        self._patches: Patches | None = None
        self._trace: Any = None  # of the second run, while it goes on
        self._losses: list[Tensor] = []  # of the second run
        self._tripped_in: torch.optim.Optimizer | None = None
        self._ran = self._hooks_alone = self._found = self._stopped = False

    # --- a step that can be run again -----------------------------------------------------------

    def step(self, fn: Callable[..., Any], *batch: Any, **options: Any) -> Any:  # noqa: ANN401 - the user's
        """Runs `fn(*batch, **options)`, one step of training, and gives its result.

        `fn` computes a loss, calls `backward` (or several), and the optimizer. Raises NonFiniteStep, before the
        optimizer has written anything, if loss, gradients or their norm are not finite, and before anything else runs
        if parameters or moments are not; on a trip `fn` is called once more, up to the same point.
        """
        self._refuse_if_stopped()
        checked = self.steps.begin()
        start = RandomState(self._devices) if checked else None
        if checked:
            self._buffers.take()
        self._begin()
        self._patches = listen(self, self.optimizers, self.scaler)
        try:
            result = fn(*batch, **options)
            self._end_of_step()
            return result
        except Trip as trip:
            raise self._stop(trip, lambda: fn(*batch, **options), start) from None
        finally:
            self._patches.end()
            self._patches = None

    def _begin(self) -> None:
        self._gates.clear()
        self._ran = False

    def _end_of_step(self) -> None:
        if self.steps.checked and not self._ran:
            self._gates.without_write([])

    # --- hooks alone ----------------------------------------------------------------------------

    def __enter__(self) -> Guard:
        """Checks every step of the optimizers inside; says which module, not which operator."""
        self._refuse_if_stopped()
        self._hooks_alone = True
        self._patches = listen(self, self.optimizers, self.scaler)
        self._module_level.start()
        self._begin()
        self.steps.begin()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._hooks_alone = False
        self._module_level.end()
        if self._patches is not None:
            self._patches.end()
            self._patches = None

    # --- what the guard hears -------------------------------------------------------------------

    def on_loss(self, root: Tensor) -> None:
        if self._trace is not None:
            self._losses.append(root)
        elif self.steps.checked and not self._scales():
            self._gates.losses.append(root.detach())

    def on_scale(self, loss: Any) -> None:  # noqa: ANN401 - a tensor or several
        losses = [loss] if isinstance(loss, Tensor) else list(loss)
        if self._trace is not None:
            self._losses.extend(losses)
        elif self.steps.checked:
            self._gates.losses.extend(one.detach() for one in losses)

    def on_backward(self, running: bool) -> None:
        if self._trace is not None:
            self._trace.in_backward = running
            self._trace.after_backward = True

    def on_norm(self, norm: Tensor) -> None:
        if self._trace is None and self.steps.checked and not self._scales_later():
            self._gates.norms.append(norm.detach())

    def before_step(self, optimizer: torch.optim.Optimizer, given: tuple[Any, ...], options: dict[str, Any]) -> Any:  # noqa: ANN401
        closure = options.get("closure") or (given[1] if len(given) > 1 else None)
        if closure is not None:
            rest = {**options, "closure": lambda: self._closed(closure, optimizer)}
            return given[:1], rest
        self._gate(optimizer)
        return None

    def _closed(self, closure: Callable[[], Any], optimizer: torch.optim.Optimizer) -> Any:  # noqa: ANN401
        """An optimizer that calls a closure has its gradients only behind it, and writes only then."""
        result = closure()
        self._gate(optimizer)
        return result

    def _gate(self, optimizer: torch.optim.Optimizer) -> None:
        if self._trace is not None:
            if self._trace.phase == "optimizer":
                return
            raise StopReplay
        self._ran = True
        if not self.steps.checked:
            return
        found = getattr(optimizer, "found_inf", None) if self._scales() else None
        self._found = found is not None and self._gates.found(found)
        with self._raising():
            if self._found:
                self._gates.norms = []
                self._gates.without_write([])
            else:
                self._gates.before_write(optimizer)
        if self.state:
            self._kept.take(optimizer)

    def after_step(self, optimizer: torch.optim.Optimizer, given: tuple[Any, ...], options: dict[str, Any]) -> None:
        if self._trace is not None:
            return
        if self.steps.checked and self.state:
            self._tripped_in = optimizer
            with self._raising():
                self._gates.after_write(optimizer)
            self._tripped_in = None
        self._gates.clear()
        if self._hooks_alone:
            self._module_level.clear()
            self.steps.begin()

    def scaler_step(self, inner: Callable[[], Any], optimizer: torch.optim.Optimizer) -> Any:  # noqa: ANN401
        if self._trace is not None:
            inner()
            raise StopReplay
        self._ran = self._found = False
        result = inner()
        if not self._scales():
            return result
        skipped, self._ran = self._found or not self._ran, True
        with self._raising():
            if skipped and self.steps.checked:
                self._gates.norms = []
                self._gates.without_write([])
            self.skips.note(skipped, self.scaler)
        self._gates.clear()
        return result

    def before_save(self) -> None:
        """What an unchecked step has written is checked before it can be saved."""
        if self.steps.written_unchecked and self._trace is None:
            self.check_state()

    # --- checks on demand -----------------------------------------------------------------------

    def check_state(self) -> None:
        """Raises NonFiniteStep if parameters or moments are not finite now."""
        try:
            for optimizer in self.optimizers:
                self._gates.after_write(optimizer)
        except Trip as trip:
            raise self._stop(trip, None, None) from None

    def check_export(self, exported: Any, against: dict[str, Tensor] | None = None) -> None:  # noqa: ANN401
        """Checks what is handed on: a state dict (names to tensors), or the path of a file that `torch.save` wrote.

        Raises NonFiniteStep if a tensor is not finite, has collapsed since the guard was made (constant now, or zero
        in more than 99.9 % of its elements), or, for a file, cannot be read or differs from `against`, by default the
        model's own state.
        """
        problem = self._exported.problem(exported, against)
        if problem is not None:
            trip = Trip("exported state", EXPORT, "export", problem["why"])
            raise self._stop(trip, None, None, problem) from None

    def summary(self) -> dict[str, Any]:
        """Which steps were checked and which were not, skips of the scaler, and what the guard cannot show."""
        return {**self.steps.as_json(), "skipped_by_scaler": self.skips.total, "not_shown": report.not_shown(self)}

    # --- a trip ---------------------------------------------------------------------------------

    def _scales(self) -> bool:
        return self.scaler is not None and self.scaler.is_enabled()

    def _scales_later(self) -> bool:
        return False

    def _raising(self) -> Any:  # noqa: ANN401 - a context
        return _Public(self) if self._hooks_alone else _Plain()

    def _stop(
        self,
        trip: Trip,
        run: Callable[[], Any] | None,
        start: RandomState | None,
        problem: dict[str, Any] | None = None,
    ) -> NonFiniteStep:
        """What the user gets. The report is written before anything is raised."""
        self._stopped = problem is None
        damage = report.damage(self, trip)
        rerun = self._run_again(trip, run, start)
        made = report.make(self, trip, rerun, damage, problem)
        return NonFiniteStep(report.text(made), made)

    def _run_again(self, trip: Trip, run: Callable[[], Any] | None, start: RandomState | None) -> Rerun:
        if trip.phase == "export":
            return Rerun(why_not="what is exported is not computed by a step")
        if trip.phase == "optimizer":
            return self._write_again()
        if run is None or start is None:
            return Rerun(why_not="hooks alone cannot run a step again: the operator is not known")
        self._trace = self._replay.trace()
        try:
            return self._replay.step(run, self._trace, self._losses, start, self._buffers)
        finally:
            self._trace = None

    def _write_again(self) -> Rerun:
        optimizer = self._tripped_in
        if optimizer is None:
            return Rerun(why_not="nothing of the step was kept")
        self._trace = self._replay.trace()
        self._trace.phase = "optimizer"
        try:
            return self._replay.write(optimizer, self._kept, optimizer.step)
        finally:
            self._trace = None

    def _refuse_if_stopped(self) -> None:
        if self._stopped:
            raise RuntimeError("this guard has stopped the training; make a new one once the cause is mended")

    @property
    def rank(self) -> int:
        return ranks.rank()

    def bad_gradients(self) -> dict[str, dict[str, Any]]:
        bad = {name: p.grad for p, name in self.names.parameters.items() if p.grad is not None}
        return {name: finite.first_bad(g) for name, g in bad.items() if not finite.is_finite(g)}


class _Plain:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


class _Public:
    """Hooks alone: what leaves the user's code is the error that the user knows."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def __enter__(self) -> None: ...
    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Trip):
            raise self._guard._stop(error, None, None) from None
