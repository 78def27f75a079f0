"""Runs a training program and writes the exact value of every loss that it calls backward() on, one a line.

usage: watch.py LOSSES PROGRAM ARGUMENTS"""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

import torch


def main() -> None:
    losses = Path(sys.argv[1]).open("w", encoding="ascii")  # noqa: SIM115 (open until the program ends)
    backward = torch.Tensor.backward

    def watched(tensor: torch.Tensor, *arguments: Any, **keywords: Any) -> None:  # noqa: ANN401 (whatever torch takes)
        losses.write(" ".join(float(value).hex() for value in tensor.detach().flatten().tolist()) + "\n")
        losses.flush()
        backward(tensor, *arguments, **keywords)

    torch.Tensor.backward = watched
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
