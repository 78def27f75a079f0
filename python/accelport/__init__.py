"""Finds the accelport program that was installed with this package, and guards a training loop.

The work is done by the program; this package only locates it (`find_program`) and runs it
(`python -m accelport`), so that it serves every Python whatever the program was built with.
`guard` is for a training script; it alone needs torch, and loads it when it is called.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .training.errors import NonFiniteStep

if TYPE_CHECKING:
    from .training.guard import Guard

__all__ = ["NonFiniteStep", "ProgramNotFoundError", "find_program", "guard"]

_NAME = "accelport"


class ProgramNotFoundError(FileNotFoundError):
    """The program is neither installed beside this package nor on PATH nor built in the tree."""


def _places() -> Iterator[Path]:
    """Where the program may lie, best first."""
    chosen = os.environ.get("ACCELPORT_PROGRAM")
    if chosen:
        yield Path(chosen)
    yield Path(sysconfig.get_path("scripts")) / _NAME
    user_scheme = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else None
    if user_scheme:
        yield Path(sysconfig.get_path("scripts", user_scheme)) / _NAME
    # `pip install --target FOLDER` puts scripts into FOLDER/bin; a checkout has build/bin.
    package = Path(__file__).resolve().parent
    yield package.parent / "bin" / _NAME
    yield package.parent.parent / "build" / "bin" / _NAME
    on_path = shutil.which(_NAME)
    if on_path:
        yield Path(on_path)


def find_program() -> str:
    """The path of the program. Raises ProgramNotFoundError with the places that were searched."""
    searched = []
    for place in _places():
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
        searched.append(str(place))
    raise ProgramNotFoundError(f"accelport is not installed; searched: {', '.join(searched)}")


def guard(model: Any, optimizer: Any, scaler: Any = None, every: int = 1, **options: Any) -> Guard:  # noqa: ANN401
    """A guard that stops training at the first step that is not finite, and names what made it so.

    `model`: the torch.nn.Module, wrapped (DDP, torch.compile) or not. `optimizer`: a torch.optim.Optimizer or a list of
    them. `scaler`: the torch.amp.GradScaler, if one is used; a step that it skips is counted, not a trip. `every`: of so
    many steps the last one is checked. Options: `state=False` leaves out parameters and moments; `kept_mib` is how many
    MiB of them are kept to run the optimizer's step again; `evidence=FOLDER` writes a report there for each stop
    (`True`: `.accelport/evidence`); `group` is the process group whose ranks decide together.

    Use `guard.step(fn, *batch)` for a step that can be run again, or `with guard:` around a loop.
    Raises ImportError without torch, ValueError for an `every` below 1.
    """
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportError("accelport.guard watches a training with PyTorch, and torch is not installed here") from error
    from .training.guard import Guard

    return Guard(model, optimizer, scaler, every, **options)
