"""One decision for all ranks: what one sees, all act upon."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch import distributed as dist


def size(group: Any = None) -> int:  # noqa: ANN401 - a process group
    return dist.get_world_size(group) if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


def agreed(flags: Tensor, group: Any = None) -> list[bool]:  # noqa: ANN401 - a process group
    """What any rank has raised. One small all-reduce if there are several ranks, and the one read by the host."""
    if size(group) > 1:
        dist.all_reduce(flags, op=dist.ReduceOp.MAX, group=group)
    return [flag > 0 for flag in flags.tolist()]


def gathered(what: Any, group: Any = None) -> list[Any]:  # noqa: ANN401 - what can be pickled
    """`what` of every rank, in their order; of this one alone if the others do not answer."""
    if size(group) == 1:
        return [what]
    every: list[Any] = [None] * size(group)
    try:
        dist.all_gather_object(every, what, group=group)
    except (RuntimeError, torch.distributed.DistBackendError) as error:
        return [what, {"error": f"the other ranks did not answer: {error}"}]
    return every
