"""What this process tells `accelport run` for the summary at the end: a file that names it from the start, so that
a process that was killed is missed."""

from __future__ import annotations

import atexit
import json
import os
import sys
from typing import Any

import torch

from .machine import Machine


def start(machine: Machine) -> None:
    _write(machine, {"ended": False})
    owner = os.getpid()

    def end() -> None:
        if os.getpid() == owner:  # a forked child inherits this, too
            _write(machine, {"ended": True, **_figures(machine)})

    atexit.register(end)


def _figures(machine: Machine) -> dict[str, Any]:
    extension = machine.extension
    return {
        "used": machine.initialized or bool(extension.operator_calls(False)),
        "missing": dict(extension.operator_calls(True)),
        "faults": list(extension.fault_summary()),
        "peaks": [torch.accelerator.max_memory_allocated(index) for index in range(machine.devices)],
        "quirks": sorted(machine.quirks),
    }


def _write(machine: Machine, what: dict[str, Any]) -> None:
    row = {"pid": os.getpid(), "rank": os.environ.get("RANK", ""), "program": sys.argv[0] if sys.argv else "", **what}
    folder = machine.settings.reports
    partial = folder / f".{os.getpid()}"
    try:
        partial.write_text(json.dumps(row), encoding="utf-8")
        partial.replace(folder / f"{os.getpid()}.json")
    except OSError as error:
        print(f"accelport: simulated: no summary of process {os.getpid()}: {error}", file=sys.stderr)
