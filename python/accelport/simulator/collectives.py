"""The platform's back end of collectives, done by gloo over the same bytes."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from .machine import Machine


def register(machine: Machine) -> None:
    if not dist.is_available():
        return
    name = machine.facts["backend"]

    def make(options: Any, _: object = None) -> Any:  # noqa: ANN401 - torch's own, without stable names
        store = dist.PrefixStore(f"{name}/gloo", options.store)
        inner = dist.ProcessGroupGloo(store, options.group_rank, options.group_size, timeout=options.timeout)
        return machine.extension.device_group(inner)

    dist.Backend.register_backend(name, make, extended_api=True, devices=[machine.name])
    setattr(dist, f"is_{name}_available", lambda: True)
    if machine.facts["process_group"]:
        setattr(dist, machine.facts["process_group"], torch._C._distributed_c10d.Backend)
