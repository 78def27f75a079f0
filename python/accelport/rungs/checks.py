"""What each rung does: it returns what it measured or raises RungError."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

Settings = dict[str, Any]
Values = dict[str, Any]
_STEPS = 5
_NORM = 1.0


class RungError(Exception):
    """The rung did what it should and found something wrong."""


class Case(Protocol):
    """What a user's file defines."""

    def build(self) -> nn.Module: ...
    def batch(self, step: int) -> object: ...
    def loss(self, model: nn.Module, batch: object) -> torch.Tensor: ...


class Smoke:
    """The built-in case: a small model with embedding, attention, normalisation and a classifier."""

    @staticmethod
    def build() -> nn.Module:
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        return nn.Sequential(nn.Embedding(50, 32), nn.TransformerEncoder(layer, 2), nn.Linear(32, 50))

    @staticmethod
    def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(step)
        tokens = torch.randint(0, 50, (4, 17), generator=generator)
        return tokens[:, :-1], tokens[:, 1:]

    @staticmethod
    def loss(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        inputs, targets = batch
        return nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def case_of(settings: Settings) -> Case:
    if not settings["case"]:
        return Smoke()
    path = Path(settings["case"])
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location("accelport_case", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [name for name in ("build", "batch", "loss") if not callable(getattr(module, name, None))]
    if missing:
        raise RungError(f"{path.name} lacks {', '.join(missing)}")
    return module


def device_of(settings: Settings) -> torch.device:
    return torch.device(settings["device"], 0) if settings["device"] != "cpu" else torch.device("cpu")


def moved(value: object, device: torch.device) -> object:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: moved(item, device) for key, item in value.items()}
    return type(value)(moved(item, device) for item in value) if isinstance(value, (list, tuple)) else value


def model_on(case: Case, device: torch.device) -> nn.Module:
    torch.manual_seed(0)
    return case.build().to(device)


def loss_of(case: Case, model: nn.Module, step: int, device: torch.device) -> torch.Tensor:
    return case.loss(model, moved(case.batch(step), device))


def check_finite(what: str, tensors: dict[str, torch.Tensor]) -> None:
    bad = [name for name, tensor in tensors.items() if not torch.isfinite(tensor.detach().cpu()).all()]
    if bad:
        raise RungError(f"{what} not finite: {', '.join(bad[:5])}")


def train(case: Case, device: torch.device, steps: int) -> tuple[nn.Module, list[float]]:
    model = model_on(case, device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = loss_of(case, model, step, device)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), _NORM)
        optimizer.step()
        losses.append(loss.item())
    return model, losses


def difference(mine: torch.Tensor, trusted: torch.Tensor) -> float:
    """Largest difference, relative to the largest trusted value; NaN counts as infinite."""
    mine, trusted = mine.detach().double().cpu(), trusted.detach().double().cpu()
    if not mine.numel():
        return 0.0
    worst = ((mine - trusted).abs().max() / trusted.abs().max().clamp_min(1e-12)).item()
    return worst if worst == worst else float("inf")


def check_close(what: str, mine: torch.Tensor, trusted: torch.Tensor, tolerance: float) -> float:
    worst = difference(mine, trusted)
    if worst > tolerance:
        raise RungError(f"{what} differs from the CPU by {worst:.3g}, more than {tolerance:.3g}")
    return worst


def same_bits(mine: torch.Tensor, other: torch.Tensor) -> bool:
    """Equal shapes, types and bits; NaN equals itself."""
    if mine.shape != other.shape or mine.dtype != other.dtype:
        return False
    flat = [t.contiguous().reshape(-1).view(torch.uint8) if t.numel() else t for t in (mine, other)]
    return torch.equal(*flat)


def do_import(settings: Settings) -> Values:
    return {"torch": torch.__version__}


def do_device(settings: Settings) -> Values:
    device = device_of(settings)
    total = torch.arange(10, device=device).sum().item()
    if total != 45:
        raise RungError(f"the sum of 0 to 9 is {total} there")
    count = getattr(torch, settings["device"]).device_count() if device.type != "cpu" else 1
    return {"device": str(device), "device_count": count}


def do_operators(settings: Settings) -> Values:
    device, worst = device_of(settings), {}
    operators: dict[str, Callable[..., torch.Tensor]] = {
        "matmul": lambda a: a @ a.T,
        "softmax": lambda a: a.softmax(-1),
        "layer_norm": lambda a: nn.functional.layer_norm(a, a.shape[-1:]),
        "gelu": nn.functional.gelu,
        "sum": lambda a: a.sum(0),
        "exp": torch.exp,
    }
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
        value = torch.randn(16, 24, generator=torch.Generator().manual_seed(0)).to(dtype)
        for name, operator in operators.items():
            key = f"{name} {dtype}"
            worst[key] = check_close(key, operator(value.to(device)), operator(value.double()), tolerance)
    return {"worst": worst}


def do_transfer(settings: Settings) -> Values:
    device, sizes = device_of(settings), (0, 1, 1000, 1 << 20)
    for size in sizes:
        there = torch.arange(size, dtype=torch.int32)
        if not torch.equal(there.to(device).cpu(), there):
            raise RungError(f"{size} numbers came back changed")
    return {"elements": sizes}


def do_forward(settings: Settings) -> Values:
    case, device = case_of(settings), device_of(settings)
    loss = loss_of(case, model_on(case, device), 0, device)
    check_finite("the loss is", {"loss": loss})
    return {"loss": loss.item()}


def do_backward(settings: Settings) -> Values:
    case, device = case_of(settings), device_of(settings)
    model = model_on(case, device)
    loss_of(case, model, 0, device).backward()
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    if not gradients:
        raise RungError("no parameter has a gradient")
    check_finite("gradients are", gradients)
    return {"gradients": len(gradients), "parameters": len(list(model.parameters()))}


def do_step(settings: Settings) -> Values:
    case, device = case_of(settings), device_of(settings)
    model, losses = train(case, device, 1)
    check_finite("parameters are", dict(model.named_parameters()))
    return {"loss": losses[0]}


def do_compare(settings: Settings) -> Values:
    case, device = case_of(settings), device_of(settings)
    model, losses = train(case, device, _STEPS)
    trusted, trusted_losses = train(case, torch.device("cpu"), _STEPS)
    tolerance = 0.0 if settings["on"].startswith("sim:") else 1e-3
    worst = check_close("the loss", torch.tensor(losses), torch.tensor(trusted_losses), tolerance)
    theirs = trusted.state_dict()
    for name, mine in model.state_dict().items():
        if isinstance(mine, torch.Tensor):
            worst = max(worst, check_close(name, mine, theirs[name], tolerance))
    return {"losses": losses, "worst": worst, "tolerance": tolerance}


def do_attention(settings: Settings) -> Values:
    device, results = device_of(settings), []
    for written_out in (False, True):
        generator = torch.Generator().manual_seed(0)
        q, k, v = (torch.randn(2, 4, 16, 8, generator=generator).to(device).requires_grad_() for _ in range(3))
        if written_out:
            out = (q @ k.transpose(-1, -2) / 8**0.5).softmax(-1) @ v
        else:
            out = nn.functional.scaled_dot_product_attention(q, k, v)
        out.square().sum().backward()
        results.append((out, q.grad, k.grad, v.grad))
    names = ("output", "gradient of q", "gradient of k", "gradient of v")
    return {n: check_close(n, mine, theirs, 1e-4) for n, mine, theirs in zip(names, *results)}


_RELOAD = "import sys, torch; torch.save({n: t.cpu() for n, t in torch.load(sys.argv[1]).items()}, sys.argv[2])"


def do_reload(settings: Settings) -> Values:
    case, device = case_of(settings), device_of(settings)
    model = train(case, device, 1)[0]
    state = {name: t for name, t in model.state_dict().items() if isinstance(t, torch.Tensor)}
    with tempfile.TemporaryDirectory() as folder:
        saved, loaded = Path(folder) / "saved.pt", Path(folder) / "loaded.pt"
        torch.save(state, saved)
        command = [sys.executable, "-c", _RELOAD, str(saved), str(loaded)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RungError(f"a fresh process cannot load it: {done.stderr[-500:]}")
        there = torch.load(loaded)
    changed = [name for name, tensor in state.items() if not same_bits(tensor.cpu(), there[name])]
    if changed:
        raise RungError(f"loaded otherwise than saved: {', '.join(changed[:5])}")
    return {"tensors": len(state)}


CHECKS: dict[str, Callable[[Settings], Values]] = {
    "import": do_import,
    "device": do_device,
    "operators": do_operators,
    "transfer": do_transfer,
    "forward": do_forward,
    "backward": do_backward,
    "step": do_step,
    "compare": do_compare,
    "attention": do_attention,
    "reload": do_reload,
}
