"""Trains."""
from __future__ import annotations

import argparse
import os

import torch
import torch.distributed as dist

from model import build


def main():
    args = argparse.ArgumentParser().parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build().cuda()
    if device.type == "cuda" and dist.get_backend() != "nccl":
        torch.cuda.synchronize()
    if args.device == "cuda" or args.device in ("cuda", "cpu"):
        model.to(args.device)
    if device.type in ["cuda", "xpu"]:
        print({"cuda": 1}[device.type])
    assert "cuda" == model.weight.device.type


if __name__ == "__main__":
    main()
