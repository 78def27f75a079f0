"""What the guard raises. Needs no torch."""

from __future__ import annotations

from typing import Any


class NonFiniteStep(RuntimeError):  # noqa: N818 - it is the step that is bad, not the program
    """A step of training was stopped. `report` holds what is known, as docs/schemas/guard.schema.json describes it."""

    def __init__(self, message: str, report: dict[str, Any]) -> None:
        super().__init__(message)
        self.report = report


class Trip(BaseException):
    """Leaves a user's function from within; no `except Exception` of theirs must swallow it.

    `gate` is the check that failed, `boundary` what it means as long as nothing more is known.
    """

    def __init__(self, gate: str, boundary: str, phase: str, detail: str = "") -> None:
        super().__init__(gate)
        self.gate, self.boundary, self.phase, self.detail = gate, boundary, phase, detail


class StopReplay(BaseException):
    """Ends the second run of a step where the first one was stopped."""
