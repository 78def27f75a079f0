"""What one run simulates: `settings.json`, written by `accelport run`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "ACCELPORT_SIM"


class Refusal(Exception):  # noqa: N818 - it is no defect of the program that gets it
    """The simulated card cannot be set up; the text says why and what to do."""


@dataclass(frozen=True)
class Settings:
    """Paths are absolute; `memory` is in bytes and for each card."""

    folder: Path
    platform: Path
    binaries: Path
    reports: Path
    devices: int = 1
    memory: int = 1 << 30
    strictness: str = "strict"
    fidelity: str = "exact"
    faults: str = ""
    without: tuple[str, ...] = field(default=())


def read_settings(beside: Path) -> Settings:
    """From the file that ACCELPORT_SIM names; else, if the program cleaned its environment, beside this package."""
    path = Path(os.environ.get(VARIABLE) or beside / "settings.json")
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        return Settings(
            folder=path.parent,
            platform=Path(given["platform"]),
            binaries=Path(given["binaries"]),
            reports=Path(given["reports"]),
            devices=int(given["devices"]),
            memory=int(given["memory"]),
            strictness=str(given["strictness"]),
            fidelity=str(given["fidelity"]),
            faults=str(given["faults"]),
            without=tuple(given["without"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(f"{path} is no settings file of a simulated run ({error}); use `accelport run`") from error
