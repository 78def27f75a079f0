"""Graphs of recorded work. They are not simulated: whoever tries to capture one is told so."""

from __future__ import annotations

from typing import Any

from .machine import machine


def _refuse(what: str) -> NotImplementedError:
    return NotImplementedError(
        f"simulated: {what} of {machine.facts['title']} is not simulated; run without graph capture here"
    )


class Graph:
    def capture_begin(self, *given: Any, **options: Any) -> None:  # noqa: ANN401 - never used
        raise _refuse("graph capture")

    def capture_end(self) -> None:
        raise _refuse("graph capture")

    def replay(self) -> None:
        raise _refuse("graph replay")

    def reset(self) -> None:
        """Nothing was captured."""

    def pool(self) -> tuple[int, int]:
        return graph_pool_handle()

    def enable_debug_mode(self) -> None:
        """Nothing will be captured."""

    def debug_dump(self, debug_path: str) -> None:
        raise _refuse("graph capture")


class graph:  # noqa: N801 - torch's own name
    def __init__(self, *given: Any, **options: Any) -> None:  # noqa: ANN401 - never used
        raise _refuse("graph capture")


def graph_pool_handle() -> tuple[int, int]:
    return 0, 1


def make_graphed_callables(*given: Any, **options: Any) -> Any:  # noqa: ANN401 - never used
    raise _refuse("graph capture")


def is_current_stream_capturing() -> bool:
    return False
