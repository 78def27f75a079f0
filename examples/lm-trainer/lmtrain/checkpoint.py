"""Checkpoints: one directory per step, weights once, RNG state per rank."""
import os
import shutil
from typing import List, Optional

import torch

from .distributed import Context, barrier

_LATEST = "latest"


def rng_state() -> dict:
    state = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state()
    return state


def restore_rng_state(state: dict) -> None:
    torch.set_rng_state(state["cpu"])
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["cuda"])


def _step_directories(out_dir: str) -> List[str]:
    return sorted(name for name in os.listdir(out_dir) if name.startswith("step_"))


def save(out_dir: str, step: int, model, optimizer, scaler, meta: dict, context: Context, keep: int = 3) -> str:
    directory = os.path.join(out_dir, f"step_{step:06d}")
    os.makedirs(directory, exist_ok=True)
    torch.save(rng_state(), os.path.join(directory, f"rng_rank{context.rank}.pt"))
    if context.is_main:
        torch.save(
            {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scaler": scaler.state_dict(),
                "meta": meta,
            },
            os.path.join(directory, "model.pt"),
        )
    barrier(context)
    if context.is_main:
        # The pointer last: a job killed half way leaves the previous checkpoint valid.
        pointer = os.path.join(out_dir, _LATEST)
        with open(pointer + ".tmp", "w", encoding="utf-8") as file:
            file.write(os.path.basename(directory))
        os.replace(pointer + ".tmp", pointer)
        for name in _step_directories(out_dir)[:-keep]:
            shutil.rmtree(os.path.join(out_dir, name))
    return directory


def latest(out_dir: str) -> Optional[str]:
    pointer = os.path.join(out_dir, _LATEST)
    if not os.path.exists(pointer):
        return None
    with open(pointer, encoding="utf-8") as file:
        return os.path.join(out_dir, file.read().strip())


def load_for_training(directory: str, model, optimizer, scaler, context: Context) -> int:
    state = torch.load(os.path.join(directory, "model.pt"), map_location=context.device)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    # RNG states are byte tensors of the host: no map_location here.
    rng_file = os.path.join(directory, f"rng_rank{context.rank}.pt")
    if os.path.exists(rng_file):
        restore_rng_state(torch.load(rng_file))
    return state["step"]


def load_weights(directory: str, device: str = "cuda") -> dict:
    """Weights and meta data for inference."""
    if device == "cuda":
        return torch.load(os.path.join(directory, "model.pt"), map_location=lambda storage, _: storage.cuda())
    return torch.load(os.path.join(directory, "model.pt"), map_location="cpu")
