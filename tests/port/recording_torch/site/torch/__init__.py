"""A torch that computes nothing and writes down every call: see README.md beside `site`."""

from __future__ import annotations

import sys as _sys

from torch import _calls, _modules

__version__ = _calls.Version("2.9.0+cu126" if _calls.MODE == "cuda" else "2.9.0+cpu")
__all__ = ["Tensor", "backends", "cuda", "device", "float16", "float32", "nn", "optim", "zeros"]

_modules.install(_sys.modules[__name__])


def __getattr__(name: str) -> object:
    return _modules.attribute(_sys.modules[__name__], name)
