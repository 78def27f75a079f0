"""Small models and one guarded training of them, for the guard's tests: on simulated cards, with faults, or healthy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import accelport
import torch
from torch import Tensor, nn
from torch.nn import functional

STEPS = 4
BATCH = 6


class Attention(nn.Module):
    def __init__(self, eager: bool) -> None:
        super().__init__()
        self.eager = eager
        self.qkv = nn.Linear(16, 48)
        self.out = nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (part.unflatten(-1, (2, 8)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        if self.eager:
            scores = (q @ k.transpose(-1, -2)) / 8**0.5
            mask = torch.full((x.shape[1], x.shape[1]), float("-inf"), device=x.device).triu(1)
            mixed = (scores + mask).softmax(-1) @ v
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Language(nn.Module):
    """Embedding, attention, a gated layer, a head: tokens [batch, 5] to logits [batch, 5, 11]."""

    def __init__(self, eager: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 16)
        self.norm = nn.LayerNorm(16)
        self.attention = Attention(eager)
        self.up = nn.Linear(16, 32)
        self.act = nn.SiLU()
        self.down = nn.Linear(32, 16)
        self.head = nn.Linear(16, 11)

    def forward(self, x: Tensor) -> Tensor:
        h = self.words(x)
        h = h + self.attention(self.norm(h))
        h = h + self.down(self.act(self.up(h)))
        return self.head(h)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(8, 12)
        self.head = nn.Linear(12, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = x.new_zeros(x.shape[0], 12)
        for step in range(2):
            h = self.cell(x, h) * (1.0 + step)
        return self.head(h)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 3))


def convolution() -> nn.Module:
    layers = [nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Conv2d(4, 6, 3), nn.SiLU(), nn.Flatten(), nn.Linear(24, 3))


MODELS: dict[str, Callable[[], nn.Module]] = {
    "mlp": mlp,
    "conv": convolution,
    "language": Language,
    "language-eager": lambda: Language(eager=True),
    "recurrent": Recurrent,
}
OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2, foreach=False),
    "adamw-foreach": lambda p: torch.optim.AdamW(p, lr=1e-2, foreach=True),
    "adamw-fused": lambda p: torch.optim.AdamW(p, lr=1e-2, fused=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, foreach=False),
    "sgd-foreach": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, foreach=True),
    "sgd-fused": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, fused=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-3, foreach=False),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=1e-2, foreach=False),
}


def batch_of(name: str, seed: int, device: str) -> tuple[Tensor, Tensor]:
    """Inputs and labels."""
    torch.manual_seed(seed)
    if name.startswith("language"):
        x = torch.randint(11, (BATCH, 5))
        return x.to(device), torch.randint(11, (BATCH, 5)).to(device)
    shape = (BATCH, 2, 8, 8) if name == "conv" else (BATCH, 8)
    return torch.randn(shape).to(device), torch.randint(3, (BATCH,)).to(device)


def fingerprint(model: nn.Module) -> str:
    """Of the parameters' bits."""
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


class Training:
    """One model and its step; `before` is what the parameters were when the last step began."""

    def __init__(self, row: dict[str, Any], device: str) -> None:
        torch.manual_seed(0)
        self.row, self.device = row, device
        self.name = row.get("model", "mlp")
        self.model = MODELS[self.name]().to(device)
        self.optimizer = OPTIMIZERS[row.get("optimizer", "adamw")](list(self.model.parameters()))
        self.precision = getattr(torch, row.get("precision", "float32"))
        half = self.precision == torch.float16
        self.scaler = torch.amp.GradScaler(device.split(":")[0], init_scale=2.0**8, enabled=half)
        self.wrapped = self.model
        if row.get("ranks", 1) > 1:
            self.wrapped = nn.parallel.DistributedDataParallel(self.model)
        self.guard = accelport.guard(
            self.wrapped, self.optimizer, self.scaler if half else None, row.get("every", 1), **row.get("options", {})
        )
        self.before = ""

    def autocast(self) -> Any:  # noqa: ANN401 - a context
        if self.precision == torch.float32:
            return nullcontext()
        return torch.autocast(self.device.split(":")[0], dtype=self.precision)

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        with self.autocast():
            out = self.wrapped(x)
        return functional.cross_entropy(out.float().flatten(0, -2), y.flatten())

    def step(self, x: Tensor, y: Tensor) -> Tensor:
        self.optimizer.zero_grad()
        parts = self.row.get("accumulate", 1)
        for part in range(parts):
            size = BATCH // parts
            rows = slice(part * size, (part + 1) * size)
            loss = self.loss(x[rows], y[rows]) / parts
            self.scaler.scale(loss).backward()
        if self.row.get("clip", True):
            self.scaler.unscale_(self.optimizer)
            nn.utils.clip_grad_norm_(self.wrapped.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()

    def run(self, steps: int = STEPS) -> list[float]:
        losses = []
        for number in range(steps):
            x, y = batch_of(self.name, number, self.device)
            self.before = fingerprint(self.model)
            losses.append(float(self.guard.step(self.step, x, y)))
        return losses


def outcome(row: dict[str, Any], device: str, steps: int = STEPS) -> dict[str, Any]:
    """What a training came to: the guard's report, or none, and whether the parameters are as before the step."""
    training = Training(row, device)
    try:
        losses = training.run(steps)
    except accelport.NonFiniteStep as stop:
        kept = fingerprint(training.model) == training.before
        return {"report": stop.report, "text": str(stop), "kept": kept}
    finite = all(bool(p.isfinite().all()) for p in training.model.parameters())
    return {"report": None, "losses": losses, "finite": finite, "summary": training.guard.summary()}
