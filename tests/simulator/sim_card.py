"""The simulated cards in this process, as `accelport run` sets them up in the processes of a program."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLATFORM = ROOT / "data" / "platforms" / os.environ.get("ACCELPORT_TEST_PLATFORM", "musa")
BINARIES = ROOT / "build" / "simulator"
GIB = 1 << 30
DEFAULTS: dict[str, Any] = {
    "platform": str(PLATFORM),
    "binaries": str(BINARIES),
    "devices": 2,
    "memory": 4 * GIB,
    "strictness": "strict",
    "fidelity": "exact",
    "faults": "",
    "without": [],
}
_VARIABLE = "ACCELPORT_SIM"


def write_settings(folder: Path, **changes: Any) -> Path:  # noqa: ANN401 - values of a settings file
    """`settings.json` of a run in `folder`, and the folder of its reports."""
    (folder / "reports").mkdir(exist_ok=True)
    path = folder / "settings.json"
    path.write_text(json.dumps({**DEFAULTS, "reports": str(folder / "reports"), **changes}), encoding="utf-8")
    return path


def start(**changes: Any) -> str:  # noqa: ANN401 - values of a settings file
    """Makes this process see the cards, unless it does already; gives the type of the device."""
    if _VARIABLE not in os.environ:
        os.environ[_VARIABLE] = str(write_settings(Path(tempfile.mkdtemp(prefix="accelport-")), **changes))
    if str(ROOT / "python") not in sys.path:
        sys.path.insert(0, str(ROOT / "python"))
    from accelport.simulator import activate

    activate()
    return torch._C._get_privateuse1_backend_name()


def say(*words: object) -> None:
    """A line of standard output in one write: `python -u`, which torchrun uses, lets print write a line's end
    apart, and the lines of two ranks would lie within one another."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def extension() -> Any:  # noqa: ANN401 - the extension's own module
    from accelport.simulator.machine import machine

    return machine.extension


def run(
    program: str,
    folder: Path,
    arguments: tuple[str, ...] = (),
    launcher: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
    timeout: float = 120,
    **changes: Any,  # noqa: ANN401 - values of a settings file
) -> subprocess.CompletedProcess[str]:
    """Runs Python text in processes of its own, on cards of its own; `device` names their type there."""
    path = folder / "program.py"
    head = f"import sys; sys.path.insert(0, {str(HERE)!r})\nimport torch, sim_card\ndevice = sim_card.start()\n"
    path.write_text(head + program, encoding="utf-8")
    settings = write_settings(folder, **changes)
    return subprocess.run(
        [sys.executable, *launcher, str(path), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=folder,
        env={**os.environ, _VARIABLE: str(settings), "OMP_NUM_THREADS": "1", **(environment or {})},
    )


def reports(folder: Path) -> list[dict[str, Any]]:
    """What the processes of a run have told for its summary."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "reports").glob("*.json"))]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
