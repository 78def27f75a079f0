"""When the vendor's package starts the card: at the first use, never in a forked child."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from .machine import machine

_lock = threading.Lock()
_local = threading.local()
_queued: list[tuple[Callable[[], None], list[str]]] = []


class DeferredCallError(Exception):
    """A call that was made before the card was started failed when it was."""


def is_in_bad_fork() -> bool:
    return machine.extension.is_forked()


def is_initialized() -> bool:
    return machine.initialized and not is_in_bad_fork()


def lazy_init() -> None:
    if is_initialized() or hasattr(_local, "initializing"):
        return
    with _lock:
        if is_initialized():
            return
        if is_in_bad_fork():
            raise RuntimeError(machine.message("bad_fork", "the device cannot be used in a forked subprocess"))
        machine.extension.start()
        _local.initializing = True
        try:
            for call, made_at in _queued:
                try:
                    call()
                except Exception as error:
                    raise DeferredCallError(f"{error}\n\nThe call was made at:\n{''.join(made_at)}") from error
            _queued.clear()
        finally:
            del _local.initializing
        machine.initialized = True


def lazy_call(call: Callable[[], None], *, seed: bool = False, seed_all: bool = False) -> None:
    """Now if the card is started, else when it is. Of seeds only the newest of each kind counts."""
    if is_initialized():
        call()
        return
    if seed_all:
        _queued[:] = [entry for entry in _queued if not getattr(entry[0], "is_seed", False)]
    if seed or seed_all:
        call.is_seed = True  # type: ignore[attr-defined]
    _queued.append((call, traceback.format_stack()))
