"""The simulated machine of this process: facts of the platform, settings, the loaded extension."""

from __future__ import annotations

import csv
import os
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from .settings import Settings

ORIGIN = "torch.cuda."  # the module whose names the platform's table maps


class Machine:
    def __init__(self, extension: ModuleType, facts: dict[str, Any], settings: Settings) -> None:
        self.extension = extension
        self.facts = facts
        self.settings = settings
        self.name: str = facts["device_type"]
        self.quirks = self._active_quirks()
        self.has_own_random_stream = settings.fidelity == "card"
        self.initialized = False
        # Read once: the vendor's package counts the cards while torch is imported, later changes have no effect.
        self.devices = _visible(os.environ.get(facts["visible_variable"]), settings.devices)
        self.names, self.absent = read_names(settings.platform / "python_api.tsv", f"torch.{self.name}.")

    def message(self, key: str, default: str) -> str:
        return self.facts["messages"].get(key, default)

    def vendor_name(self, name: str) -> str | None:
        """What a name of torch's first accelerator is called here; None if the vendor has none."""
        return None if name in self.absent else self.names.get(name, name)

    def _active_quirks(self) -> frozenset[str]:
        """`exact` leaves out what changes numbers and what no source settles."""
        return frozenset(
            quirk["id"]
            for quirk in self.facts["quirks"]
            if quirk["id"] not in self.settings.without
            and (self.settings.fidelity == "card" or not (quirk["changes_numbers"] or quirk["unverified"]))
        )


def read_names(path: Path, prefix: str) -> tuple[dict[str, str], frozenset[str]]:
    """Names of the table of calls: what they are called on the platform, and which are missing there."""
    names: dict[str, str] = {}
    absent: set[str] = set()
    if not path.is_file():
        return names, frozenset()
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            name = row["cuda"].removeprefix(ORIGIN)
            if name == row["cuda"] or not re.fullmatch(r"[\w.]+", name):
                continue
            target = row["target"].removeprefix(prefix)
            if row["status"] in ("missing", "nvidia-only"):
                absent.add(name)
            elif target != row["target"] and re.fullmatch(r"[\w.]+", target):
                names[name] = target
    return names, frozenset(absent - set(names))


def _visible(mask: str | None, devices: int) -> int:
    """How many cards the mask leaves. As on CUDA, whatever follows the first entry that is no card is ignored."""
    if mask is None:
        return devices
    seen: list[int] = []
    for entry in mask.split(","):
        text = entry.strip()
        if not text.isdigit() or int(text) >= devices or int(text) in seen:
            break
        seen.append(int(text))
    if not seen and mask.strip() not in ("", "-1"):
        warnings.warn(f"simulated: no card of {devices} is visible with {mask!r}", stacklevel=2)
    return len(seen)


machine: Machine  # set by activation
