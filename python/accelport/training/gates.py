"""What is checked at which point of a step, and what a failed check means as long as nothing more is known."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import data, finite, ranks
from .errors import Trip


def gradients(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]


def written(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    """Parameters and moments: what a step writes. Counters of steps, which have no dimension, are left out."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    state = [v for p in parameters for v in optimizer.state.get(p, {}).values() if isinstance(v, Tensor) and v.dim()]
    return parameters + state


class Gates:
    """Collects scalars on the device while the step runs; the host reads them once, together."""

    def __init__(self, device: torch.device, group: Any) -> None:  # noqa: ANN401 - a process group
        self._device, self._group = device, group
        self.losses: list[Tensor] = []
        self.norms: list[Tensor] = []

    def clear(self) -> None:
        self.losses, self.norms = [], []

    def before_write(self, optimizer: torch.optim.Optimizer) -> None:
        """Raises Trip if loss, norm or gradients are not finite on any rank."""
        self._decide(gradients(optimizer))

    def without_write(self, tensors: list[Tensor]) -> None:
        """The same at the end of a step in which no optimizer ran."""
        if self.losses or self.norms:
            self._decide(tensors)

    def after_write(self, optimizer: torch.optim.Optimizer) -> None:
        """Raises Trip if parameters or moments are not finite on any rank."""
        tensors = finite.floating(written(optimizer))
        if self._raised([finite.indicator(tensors, self._device)])[0] and self._confirmed(tensors):
            raise Trip("parameters and moments", data.OPTIMIZER, "optimizer")

    def found(self, flag: Tensor) -> bool:
        """Whether a scaler's own flag is raised on any rank."""
        return ranks.agreed((flag.detach().reshape(1).to(self._device) > 0).float(), self._group)[0]

    def _decide(self, grads: list[Tensor]) -> None:
        own = finite.floating(grads)
        zero = torch.zeros((), device=self._device)
        loss = torch.stack([finite.indicator([t], self._device) for t in self.losses]).sum() if self.losses else zero
        norm = torch.stack([n.to(self._device, torch.float32) for n in self.norms]).sum() if self.norms else zero
        bad_loss, bad_norm, bad_grads = self._raised([loss, norm, finite.indicator(own, self._device)])
        if not (bad_loss or bad_norm or bad_grads):
            return
        clipped = bool(self.norms)
        if bad_loss and self._confirmed(self.losses):
            raise Trip("loss", data.FORWARD, "forward")
        grads_are_bad = bad_grads and self._confirmed(own)
        if bad_norm and self._confirmed(self.norms):
            if grads_are_bad:
                raise Trip("norm before clipping", data.BACKWARD, "backward")
            raise Trip("norm before clipping", data.CLIPPING, "clip", "every gradient is finite, their norm is not")
        if grads_are_bad:
            gate, boundary, phase = (
                ("gradients after clipping", data.CLIPPING, "clip")
                if clipped
                else ("gradients", data.BACKWARD, "backward")
            )
            raise Trip(gate, boundary, phase)

    def _raised(self, values: list[Tensor]) -> list[bool]:
        return ranks.agreed(finite.flags(values, self._device), self._group)

    def _confirmed(self, tensors: list[Tensor]) -> bool:
        """Exactly: sums of finite numbers may have overflowed. All ranks come here, or none."""
        bad = any(not finite.is_finite(tensor) for tensor in tensors)
        return ranks.agreed(torch.tensor([float(bad)], device=self._device), self._group)[0]
