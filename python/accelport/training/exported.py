"""Is what leaves the training sound? Finite, not collapsed, and, once it is a file, what it was in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from .data import thresholds
from .finite import described, first_bad, floating, is_finite, local
from .names import plain


def varies(tensor: Tensor) -> bool:
    """More than one element, and not all equal. The host waits for it."""
    flat = local(tensor).reshape(-1)
    return flat.numel() > 1 and bool((flat != flat[0]).any())


def zero_fraction(tensor: Tensor) -> float:
    own = local(tensor)
    return 1.0 - int(torch.count_nonzero(own)) / max(own.numel(), 1)


def named_tensors(state: object, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    if isinstance(state, Tensor):
        yield plain(prefix), state
    elif isinstance(state, Mapping):
        for key, value in state.items():
            yield from named_tensors(value, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(state, (list, tuple)):
        for index, value in enumerate(state):
            yield from named_tensors(value, f"{prefix}.{index}")


def equal(one: Tensor, other: Tensor) -> bool:
    """To the last bit, wherever they lie."""
    a, b = local(one).cpu().contiguous(), local(other).cpu().contiguous()
    same = a.dtype == b.dtype and a.shape == b.shape
    return same and bool(torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8)))


class Exported:
    """Remembers of each tensor of a model whether it varied when the guard was made."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        with torch.no_grad():
            tensors = [(n, t) for n, t in named_tensors(model.state_dict()) if floating([t])]
            self._varied = {name for name, tensor in tensors if varies(tensor)}
            limit = thresholds()["zero_fraction"]
            self._was_zero = {name for name, tensor in tensors if zero_fraction(tensor) > limit}

    @torch.no_grad()
    def problem(self, exported: object, against: Mapping[str, Tensor] | None) -> dict[str, Any] | None:
        if not isinstance(exported, (str, os.PathLike)):
            return self._of_tensors(exported)
        try:
            loaded = torch.load(exported, map_location="cpu", weights_only=True)
        except Exception as error:  # a damaged file fails in many ways
            return {"why": f"the file cannot be read: {type(error).__name__}: {str(error).splitlines()[0]}"}
        return self._of_tensors(loaded) or self._of_file(loaded, against or self._model.state_dict())

    def _of_tensors(self, state: object) -> dict[str, Any] | None:
        for name, tensor in named_tensors(state):
            if not floating([tensor]):
                continue
            place = {"tensor": name, **described(tensor)}
            if not is_finite(tensor):
                return {"why": f"{name} is not finite", **place, **first_bad(tensor)}
            collapsed = self._collapsed(name, tensor)
            if collapsed:
                return {"why": f"{name} has collapsed: {collapsed}", **place}
        return None

    def _collapsed(self, name: str, tensor: Tensor) -> str:
        if tensor.numel() <= 1 or name not in self._varied:
            return ""
        if not varies(tensor):
            return "it varied when the guard was made, and all its elements are equal now"
        share = zero_fraction(tensor)
        if name not in self._was_zero and share > thresholds()["zero_fraction"]:
            return f"{share:.2%} of its elements are zero"
        return ""

    def _of_file(self, loaded: object, against: Mapping[str, Tensor]) -> dict[str, Any] | None:
        here, there = dict(named_tensors(against)), dict(named_tensors(loaded))
        for name, tensor in here.items():
            found = there.get(name)
            if found is None:
                continue
            if not equal(tensor, found):
                return {"why": f"{name} in the file is not what it is in memory", "tensor": name, **described(found)}
        missing = sorted(here.keys() - there.keys())
        return {"why": f"the file lacks {', '.join(missing[:5])}"} if missing else None
