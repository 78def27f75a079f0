"""Trains."""
from __future__ import annotations

import argparse
import os

try:
    import torch_musa  # noqa: F401
except ModuleNotFoundError:  # no machine of Moore Threads MUSA
    pass
else:
    import torchada  # noqa: F401
import torch
import torch.distributed as dist

from model import build
import accelerator


def main():
    args = argparse.ArgumentParser().parse_args()
    device = torch.device("cuda" if accelerator.is_available() else "cpu")
    model = build().cuda()
    if device.type == accelerator.accelerator_type() and dist.get_backend() != accelerator.distributed_backend():
        torch.cuda.synchronize()
    if args.device == "cuda" or args.device in ("cuda", "cpu"):
        model.to(args.device)
    if device.type in ["cuda", "xpu"]:
        print({"cuda": 1}[device.type])
    assert accelerator.accelerator_type() == model.weight.device.type


if __name__ == "__main__":
    main()
