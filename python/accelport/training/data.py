"""The numbers and texts of the guard, which lie beside this file as data."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FORWARD = "forward divergence"
BACKWARD = "backward divergence"
CLIPPING = "clipping or scaling"
OPTIMIZER = "optimizer state"
EXPORT = "save/export/reload"
BOUNDARIES = {"forward": FORWARD, "backward": BACKWARD, "clip": CLIPPING, "optimizer": OPTIMIZER}


@functools.cache
def thresholds() -> dict[str, Any]:
    return _read("thresholds.json")


def advice_for(operator: str, phase: str) -> list[dict[str, str]]:
    """Rows whose words stand in the operator's name; each carries the scope in which it was seen."""
    rows = _read("advice.json")["advice"]
    fitting = [row for row in rows if phase in row["phases"] and any(word in operator for word in row["operators"])]
    return [{key: row[key] for key in ("id", "text", "scope", "claim")} for row in fitting]


@functools.cache
def _read(name: str) -> dict[str, Any]:
    return json.loads((Path(__file__).resolve().parent / name).read_text(encoding="utf-8"))
