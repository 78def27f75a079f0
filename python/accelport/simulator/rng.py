"""Seeds and states of the cards' generators."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from typing import Any

import torch

from .device import index_of
from .lazy import lazy_call, lazy_init
from .machine import machine


@functools.lru_cache(maxsize=1)
def default_generators() -> tuple[torch.Generator, ...]:
    return tuple(machine.extension.default_generator(index) for index in range(machine.devices))


def _generator(device: int | str | torch.device | None) -> torch.Generator:
    return default_generators()[index_of(device, optional=True)]


def get_rng_state(device: int | str | torch.device | None = None) -> torch.Tensor:
    lazy_init()
    return _generator(device).get_state()


def set_rng_state(new_state: torch.Tensor, device: int | str | torch.device | None = None) -> None:
    copy = new_state.clone(memory_format=torch.contiguous_format)
    lazy_call(lambda: _generator(device).set_state(copy) and None)


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state(index) for index in range(machine.devices)]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    seed = int(seed)
    lazy_call(lambda: _generator(None).manual_seed(seed) and None, seed=True)


def manual_seed_all(seed: int) -> None:
    seed = int(seed)

    def call() -> None:
        for generator in default_generators():
            generator.manual_seed(seed)

    lazy_call(call, seed_all=True)


def seed() -> None:
    lazy_call(lambda: _generator(None).seed() and None)


def seed_all() -> None:
    def call() -> None:
        if machine.devices:
            chosen = default_generators()[0].seed()
            for generator in default_generators():
                generator.manual_seed(chosen)

    lazy_call(call)


def initial_seed() -> int:
    lazy_init()
    return _generator(None).initial_seed()


_torchs_fork_rng = torch.random.fork_rng


def fork_rng(*given: Any, **options: Any) -> contextlib.AbstractContextManager[None]:  # noqa: ANN401 - passed on
    """torch's own, with the platform's device as the default."""
    if len(given) < 5:
        options.setdefault("device_type", machine.name)
    return _torchs_fork_rng(*given, **options)
