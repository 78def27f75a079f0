"""Is every element finite? Cheaply for many tensors at once, and exactly for few."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor


def local(tensor: Tensor) -> Tensor:
    """What of a sharded or sparse tensor lies here."""
    if hasattr(tensor, "to_local"):
        tensor = tensor.to_local()  # type: ignore[operator]
    if tensor.layout == torch.sparse_coo:
        tensor = tensor._values()
    return tensor.detach()


def floating(tensors: Iterable[Any]) -> list[Tensor]:
    """The local parts of those that hold numbers that can be non-finite."""
    own = (local(tensor) for tensor in tensors if isinstance(tensor, Tensor))
    return [t for t in own if (t.is_floating_point() or t.is_complex()) and t.numel() and t.device.type != "meta"]


def indicator(tensors: list[Tensor], device: torch.device) -> Tensor:
    """A float32 scalar on `device` that is finite if all elements are. It may overflow for finite elements beyond
    1e18; who sees it non-finite asks `is_finite`. Nothing is read by the host."""
    groups: dict[tuple[torch.device, torch.dtype], list[Tensor]] = {}
    for tensor in tensors:
        groups.setdefault((tensor.device, tensor.dtype), []).append(tensor)
    sums = [_norm(group).to(device) for group in groups.values()]
    return torch.stack(sums).sum() if sums else torch.zeros((), device=device)


def _norm(group: list[Tensor]) -> Tensor:
    if group[0].dtype in (torch.float16, torch.bfloat16):
        norms = torch._foreach_norm(group, 2, dtype=torch.float32)
    elif group[0].dtype in (torch.float32, torch.float64):
        norms = torch._foreach_norm(group, 2)
    else:  # complex numbers, eight bits
        norms = [tensor.abs().float().sum() if tensor.is_complex() else tensor.float().sum() for tensor in group]
    return torch.stack(list(norms)).sum().float()


def flags(values: list[Tensor], device: torch.device) -> Tensor:
    """1.0 for each scalar that is not finite, else 0.0; shape [len(values)], float32, on `device`."""
    together = torch.stack([value.detach().reshape(()).to(device, torch.float32) for value in values])
    return (together - together).ne(0).float()


def kinds(tensor: Tensor) -> tuple[bool, bool]:
    """Whether it holds a NaN, and an infinity. The host waits for it."""
    own = floating([tensor])
    if not own:
        return False, False
    host = own[0].cpu()
    if bool(torch.isfinite(host).all()):
        return False, False
    return bool(torch.isnan(host).any()), bool(torch.isinf(host).any())


def is_finite(tensor: Tensor) -> bool:
    return not any(kinds(tensor))


def first_bad(tensor: Tensor) -> dict[str, Any]:
    """Of a tensor that is not finite: kind and index of the first such element, and how many there are."""
    host = local(tensor).cpu()
    bad = ~torch.isfinite(host)
    index = bad.nonzero()[0].tolist()
    value = host[tuple(index)]
    kind = "nan" if bool(torch.isnan(value)) else "inf"
    return {"kind": kind, "index": index, "non_finite": int(bad.sum()), "elements": host.numel()}


def described(tensor: Tensor) -> dict[str, Any]:
    own = local(tensor)
    return {
        "shape": list(own.shape),
        "stride": list(own.stride()) if own.layout == torch.strided else [],
        "dtype": str(own.dtype).removeprefix("torch."),
        "device": str(own.device),
    }
