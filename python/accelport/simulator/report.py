"""What this process tells `accelport run` for the summary at the end: a file that names it from the start, so that
a process that was killed is missed."""

from __future__ import annotations

import atexit
import json
import os
import sys
from pathlib import Path
from typing import Any

import torch

from .machine import Machine
from .settings import Settings


def start(machine: Machine) -> None:
    _write(machine.settings, {"ended": False})
    if machine.settings.faults:
        # Each fault is told as it fires: some kill the process.
        row = json.dumps({**_identity(), "ended": False}).removesuffix("}")
        machine.extension.announce_faults(str(_path(machine.settings)), row)
    owner = os.getpid()

    def end() -> None:
        if os.getpid() == owner:  # a forked child inherits this, too
            _write(machine.settings, {"ended": True, **_figures(machine)})

    atexit.register(end)


def refuse(settings: Settings, why: str) -> None:
    """Instead of `start`: the cards could not be set up."""
    _write(settings, {"ended": True, "refused": why})


def _figures(machine: Machine) -> dict[str, Any]:
    extension = machine.extension
    return {
        "used": machine.initialized or bool(extension.operator_calls(False)),
        "missing": dict(extension.operator_calls(True)),
        "faults": list(extension.fault_summary()),
        "stale_reads": _stale_reads(machine),
        "peaks": [torch.accelerator.max_memory_allocated(index) for index in range(machine.devices)],
        "quirks": sorted(machine.quirks),
    }


def _stale_reads(machine: Machine) -> dict[str, Any]:
    """Reads of bytes that a stream had still to write, because the program does not wait for it."""
    count, first = machine.extension.stale_reads()
    return {"count": count, "first": first}


def _identity() -> dict[str, Any]:
    return {"pid": os.getpid(), "rank": os.environ.get("RANK", ""), "program": sys.argv[0] if sys.argv else ""}


def _path(settings: Settings) -> Path:
    return settings.reports / f"{os.getpid()}.json"


def _write(settings: Settings, what: dict[str, Any]) -> None:
    path = _path(settings)
    partial = path.with_name(f".{os.getpid()}")
    try:
        partial.write_text(json.dumps({**_identity(), **what}), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        print(f"accelport: simulated: no summary of process {os.getpid()}: {error}", file=sys.stderr)
