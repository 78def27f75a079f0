#!/usr/bin/env python3
"""No false alarm: 20 healthy trainings of 200 steps on the CPU, fp16 with a scaler among them. Prints one line each."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "simulator"), str(ROOT / "python")]
STEPS = 200
MODELS = ["mlp", "conv", "language", "language-eager", "recurrent"]
WAYS = [("float32", "adamw"), ("float16", "adamw-fused"), ("float16", "sgd-foreach"), ("bfloat16", "adamw-foreach")]


def main() -> int:
    try:
        import torch
    except ImportError:
        print("SKIPPED: no torch")
        return 77
    import guarded

    torch.set_num_threads(1)
    alarms = 0
    for model in MODELS:
        for precision, optimizer in WAYS:
            told = guarded.outcome({"model": model, "precision": precision, "optimizer": optimizer}, "cpu", STEPS)
            alarms += told["report"] is not None
            print(f"{model:15} {precision:9} {optimizer:14} {told.get('text') or 'no alarm'}", flush=True)
    print(f"{len(MODELS) * len(WAYS)} trainings of {STEPS} steps, {alarms} false alarms")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
