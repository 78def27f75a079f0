"""Runs the trainer of the folder it is started in and writes what came of it: every loss, and hashes of the parameters,
the gradients of the last step and the optimizer's moments, all bit for bit.

usage: demo_training.py OUTPUT [SECTION.KEY=VALUE]...
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

import torch

sys.path.insert(0, str(Path.cwd()))

from lmtrain.config import load_config
from lmtrain.engine import Trainer


def digest(tensors: Iterable[torch.Tensor]) -> str:
    sha = hashlib.sha256()
    for tensor in tensors:
        sha.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()[:16]


def moments(optimizer: torch.optim.Optimizer) -> Iterable[torch.Tensor]:
    for state in optimizer.state.values():
        yield from (state[name] for name in sorted(state) if state[name].dim() > 0)


def main() -> None:
    output, *overrides = sys.argv[1:]
    # The example takes the fused one on a card only; it is another order of the same sums.
    torch.optim.AdamW = functools.partial(torch.optim.AdamW, fused=True)
    with Trainer(load_config("configs/tiny.yaml", overrides)) as trainer:
        losses = trainer.fit()
        lines = [f"loss {number:2} {loss:.6f} {loss.hex()}" for number, loss in enumerate(losses, 1)]
        parameters = list(trainer.raw_model.parameters())
        lines.append(f"parameters {digest(parameters)}")
        lines.append(f"gradients {digest(p.grad for p in parameters if p.grad is not None)}")
        lines.append(f"moments {digest(moments(trainer.optimizer))}")
        if trainer.context.is_main:
            Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
