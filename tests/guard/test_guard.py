"""The guard on the CPU: closures, hooks alone, the scaler's skips, exported state, the known attention case, and no
false alarm."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]

from torch import nn  # noqa: E402


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    torch.set_num_threads(1)
    yield


class Broken(torch.autograd.Function):
    """Right forward, infinite backward."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
        return grad / 0


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def bits(model: nn.Module) -> list[torch.Tensor]:
    return [p.detach().clone() for p in model.parameters()]


def test_a_closure_is_stopped_before_the_write() -> None:
    import accelport

    model = net()
    opt = torch.optim.LBFGS(model.parameters(), max_iter=2)
    guard = accelport.guard(model, opt)
    before = bits(model)

    def step(x: torch.Tensor) -> None:
        def closure() -> torch.Tensor:
            opt.zero_grad()
            loss = Broken.apply(model(x)).square().mean()
            loss.backward()
            return loss

        opt.step(closure)

    with pytest.raises(accelport.NonFiniteStep, match="backward divergence") as stop:
        guard.step(step, torch.randn(3, 4))
    assert stop.value.report["producer"]["operator"] == "aten::div"
    assert all(map(torch.equal, before, bits(model)))
    with pytest.raises(RuntimeError, match="has stopped"):
        guard.step(step, torch.randn(3, 4))


def test_hooks_alone_name_the_module_and_that_the_operator_is_not_known(tmp_path: Path) -> None:
    import accelport

    model = net()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    before = bits(model)
    backward, save = torch.autograd.backward, torch.save
    guard = accelport.guard(model, opt, evidence=tmp_path)
    with pytest.raises(accelport.NonFiniteStep, match="operator is not known") as stop, guard:
        Broken.apply(model(torch.randn(3, 4))).sum().backward()
        opt.step()
    level = stop.value.report["module_level"]
    assert (level["phase"], level["module"]) == ("backward", "2")
    assert all(map(torch.equal, before, bits(model)))
    assert (torch.autograd.backward, torch.save) == (backward, save)
    (written,) = tmp_path.glob("guard-*.json")
    schema = json.loads((ROOT / "docs/schemas/guard.schema.json").read_text(encoding="utf-8"))
    pytest.importorskip("jsonschema").validate(json.loads(written.read_text(encoding="utf-8")), schema)


def test_the_eighth_skip_in_a_row_stops() -> None:
    import accelport

    model = net()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
    guard = accelport.guard(model, opt, scaler)

    def step(x: torch.Tensor) -> None:
        opt.zero_grad()
        scaler.scale(Broken.apply(model(x)).square().mean()).backward()
        scaler.step(opt)
        scaler.update()

    for _ in range(7):
        guard.step(step, torch.randn(3, 4))
    with pytest.raises(accelport.NonFiniteStep, match="8 steps in a row"):
        guard.step(step, torch.randn(3, 4))


@pytest.mark.parametrize("fault", ["nan", "constant", "zero", "file", "damaged"])
def test_exported_state_is_judged(fault: str, tmp_path: Path) -> None:
    import accelport

    model = nn.Linear(64, 64)
    guard = accelport.guard(model, torch.optim.SGD(model.parameters(), lr=0.1))
    path = tmp_path / "model.pt"
    state = {name: value.clone() for name, value in model.state_dict().items()}
    torch.save(state, path)
    guard.check_export(state)
    guard.check_export(path)
    target: object = state
    if fault == "nan":
        state["weight"][1, 2] = float("nan")
    elif fault == "constant":
        state["bias"].fill_(0.5)
    elif fault == "zero":
        state["weight"].mul_(0)
        state["weight"][3, 3] = 1
    elif fault == "file":
        state["weight"][0, 0] += 1
        torch.save(state, path)
        target = path
    else:
        path.write_bytes(path.read_bytes()[:-40])
        target = path
    with pytest.raises(accelport.NonFiniteStep, match="save/export/reload"):
        guard.check_export(target)


def test_of_every_k_steps_one_is_checked_and_a_save_checks_the_rest(tmp_path: Path) -> None:
    import accelport

    model = net()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    guard = accelport.guard(model, opt, every=3)

    def step(x: torch.Tensor, bad: bool, save: bool) -> None:
        opt.zero_grad()
        (model(x).sum() * (float("nan") if bad else 1.0)).backward()
        opt.step()
        if save:
            torch.save(model.state_dict(), tmp_path / "model.pt")

    for _ in range(6):
        guard.step(step, torch.randn(3, 4), False, False)
    summary = guard.summary()
    assert (summary["checked_steps"], summary["last_unchecked"]) == (2, [[0, 1], [3, 4]])
    with pytest.raises(accelport.NonFiniteStep, match="optimizer state"):
        guard.step(step, torch.randn(3, 4), True, True)
    assert not (tmp_path / "model.pt").exists()


def test_without_torch_the_error_says_so() -> None:
    code = "import sys; sys.modules['torch'] = None; import accelport; accelport.guard(None, None)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "python")}
    )
    assert "ImportError: accelport.guard watches a training with PyTorch" in done.stderr


def test_the_package_alone_loads_no_torch() -> None:
    code = "import sys, accelport; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "python")}).returncode == 0


@pytest.mark.parametrize("precision", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("model", ["mlp", "conv", "language", "language-eager"])
def test_no_false_alarm(model: str, precision: str) -> None:
    import guarded

    told = guarded.outcome({"model": model, "precision": precision, "optimizer": "adamw-fused"}, "cpu", steps=20)
    assert told["report"] is None, told
