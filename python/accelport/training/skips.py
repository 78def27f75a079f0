"""Steps that a gradient scaler leaves out: part of its work, until there are too many of them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .data import CLIPPING, thresholds
from .errors import Trip


class Skips:
    """Counts them. `in_a_row` begins again with every step that is made."""

    def __init__(self) -> None:
        self.total = 0
        self.in_a_row = 0

    def note(self, skipped: bool, scaler: Any) -> None:  # noqa: ANN401 - a gradient scaler
        """Raises Trip where the thresholds are reached. Only after a skipped step the scale is read."""
        if not skipped:
            self.in_a_row = 0
            return
        self.total += 1
        self.in_a_row += 1
        limits = thresholds()
        if self.in_a_row >= limits["skips_in_a_row"]:
            raise Trip("scaler", CLIPPING, "backward", f"the scaler has skipped {self.in_a_row} steps in a row")
        scale = scaler.get_scale() * scaler.get_backoff_factor()
        if scale < limits["smallest_scale"]:
            raise Trip("scaler", CLIPPING, "backward", f"the scale falls to {scale:g}")


def restart(scaler: Any) -> None:  # noqa: ANN401 - a gradient scaler
    """As after `update`: a step that is run again may unscale again. The scale stays."""
    states = getattr(scaler, "_per_optimizer_states", None)
    if isinstance(states, defaultdict):
        states.clear()
