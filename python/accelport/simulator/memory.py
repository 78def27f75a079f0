"""The memory of the cards."""

from __future__ import annotations

import contextlib
import pickle
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import torch

from .device import DeviceLike, index_of
from .lazy import is_initialized, lazy_init
from .machine import machine


def empty_cache() -> None:
    if is_initialized():
        torch._C._accelerator_emptyCache()


def memory_stats(device: DeviceLike = None) -> OrderedDict[str, Any]:
    return torch.accelerator.memory_stats(index_of(device, optional=True))


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *folders, last = name.split(".")
        place = nested
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = value
    return nested


def memory_allocated(device: DeviceLike = None) -> int:
    return torch.accelerator.memory_allocated(index_of(device, optional=True))


def max_memory_allocated(device: DeviceLike = None) -> int:
    return torch.accelerator.max_memory_allocated(index_of(device, optional=True))


def memory_reserved(device: DeviceLike = None) -> int:
    return torch.accelerator.memory_reserved(index_of(device, optional=True))


def max_memory_reserved(device: DeviceLike = None) -> int:
    return torch.accelerator.max_memory_reserved(index_of(device, optional=True))


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    torch.accelerator.reset_peak_memory_stats(index_of(device, optional=True))


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    torch.accelerator.reset_accumulated_memory_stats(index_of(device, optional=True))


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: DeviceLike = None) -> None:
    reset_peak_memory_stats(device)


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    lazy_init()
    return torch.accelerator.get_memory_info(index_of(device, optional=True))


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    lazy_init()
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    machine.extension.set_limit(index_of(device, optional=True), int(machine.settings.memory * fraction))


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """torch's own table over our figures."""
    origin = torch.cuda.memory.memory_summary
    names = {**origin.__globals__, "memory_stats": memory_stats, "_get_device_index": index_of}
    table = FunctionType(origin.__code__, names)(index_of(device, optional=True), abbreviated)
    return table.replace("CUDA", machine.name.upper())


def memory_snapshot() -> list[dict[str, Any]]:
    return [segment for index in range(machine.devices) for segment in _segments(index)]


def _segments(index: int) -> Iterator[dict[str, Any]]:
    found: dict[int, list[tuple[int, int, int, int, bool, bool]]] = {}
    for segment, *row in machine.extension.snapshot(index):
        found.setdefault(segment, []).append(tuple(row))
    for segment, rows in found.items():
        yield {
            "device": index,
            "address": segment,
            "total_size": sum(row[1] for row in rows),
            "allocated_size": sum(row[1] for row in rows if row[4]),
            "active_size": sum(row[1] for row in rows if row[4]),
            "requested_size": sum(row[2] for row in rows if row[4]),
            "stream": rows[0][3],
            "segment_type": "large" if rows[0][5] else "small",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [
                {
                    "address": address,
                    "size": size,
                    "requested_size": requested,
                    "state": "active_allocated" if used else "inactive",
                    "frames": [],
                }
                for address, size, requested, _, used, _ in rows
            ],
        }


def snapshot() -> dict[str, Any]:
    return {"segments": memory_snapshot(), "device_traces": [[] for _ in range(machine.devices)]}


def dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    with Path(filename).open("wb") as file:
        pickle.dump(snapshot(), file)


def record_memory_history(enabled: str | None = "all", *given: object, **options: object) -> None:
    """The books of the cards keep no stack traces: snapshots have empty ones."""


def set_allocator_settings(env: str) -> None:
    """The allocator's model has no settings; the text is accepted as the vendor's is."""


def ipc_collect() -> None:
    lazy_init()


def get_allocator_backend() -> str:
    return "native"


class MemPool:
    """Allocations are not kept apart: the pool is the card's own."""

    def __init__(self, *given: object, **options: object) -> None:
        self.id = (0, 0)


class MemPoolContext:
    """Makes the pool the current one; there is only one."""

    def __init__(self, pool: MemPool) -> None:
        self.pool = pool


class PluggableAllocator:
    """The program's own allocator would have to hand out the card's memory, which is the simulator's."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        raise NotImplementedError(f"simulated: allocators of the program's own are not simulated ({path_to_so_file})")


def change_current_allocator(allocator: object) -> None:
    raise NotImplementedError("simulated: allocators of the program's own are not simulated")


@contextlib.contextmanager
def use_mem_pool(pool: MemPool, device: DeviceLike = None) -> Iterator[None]:
    yield
