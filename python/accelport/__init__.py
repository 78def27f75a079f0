"""Finds the accelport program that was installed with this package.

The work is done by the program; this package only locates it (`find_program`) and runs it
(`python -m accelport`), so that it serves every Python whatever the program was built with.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

__all__ = ["ProgramNotFoundError", "find_program"]

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
