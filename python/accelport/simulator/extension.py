"""Finds and loads the binary that fits this Python and this torch."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import torch

from .settings import Refusal

NAME = "accelport_simulator_torch"


def torch_minor() -> str:
    return ".".join(torch.__version__.split(".")[:2])


def load_extension(binaries: Path) -> ModuleType:
    """Binaries lie in one folder for each minor of torch; their names carry the interpreter's."""
    folder = binaries / f"torch-{torch_minor()}"
    path = folder / (NAME + importlib.machinery.EXTENSION_SUFFIXES[0])
    if not path.is_file():
        raise Refusal(_missing(binaries, path))
    loader = importlib.machinery.ExtensionFileLoader(NAME, str(path))
    spec = importlib.util.spec_from_file_location(NAME, path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        loader.exec_module(module)
    except ImportError as error:  # built for another build of this torch, or broken
        raise Refusal(f"{error}; build it again: {_how_to_build()}") from error
    return module


def _how_to_build() -> str:
    return f"in a checkout of accelport type: PYTHON={sys.executable} tools/simulator.sh"


def _missing(binaries: Path, path: Path) -> str:
    built = sorted(str(found.relative_to(binaries)) for found in binaries.glob("torch-*/*.so"))
    have = f"built are {', '.join(built)}" if built else "none is built"
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    return f"no simulator for torch {torch.__version__} under {python} ({path} is missing; {have}); {_how_to_build()}"
