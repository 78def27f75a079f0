import os
import subprocess
import sys

import pytest
import torch

import train_detector
from visionext.detector import ToyDetector, make_batch, outside, target_heat

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test_batches_are_reproducible():
    first = make_batch(4, generator=torch.Generator().manual_seed(1))
    second = make_batch(4, generator=torch.Generator().manual_seed(1))
    assert torch.equal(first.images, second.images) and torch.equal(first.boxes, second.boxes)


def test_target_has_its_peak_at_the_centre():
    heat = target_heat(torch.tensor([[8.0, 16.0, 24.0, 32.0]]), 12)
    assert heat[0, 0].argmax().item() == 6 * 12 + 4
    assert heat.max().item() == pytest.approx(1)


def test_outside_is_the_complement_of_the_box():
    assert outside(torch.tensor([[0.0, 0.0, 24.0, 48.0]]), 12).sum().item() == 72


def test_shapes():
    batch = make_batch(3)
    heat, scores = ToyDetector()(batch.images, batch.boxes)
    assert heat.shape == (3, 1, 12, 12) and scores.shape == (3, 3)


def test_training_learns_and_resumes(tmp_path):
    path = str(tmp_path / "detector.pt")
    options = ["--no-cuda", "--batch-size", "16", "--checkpoint", path]
    whole = train_detector.main(options + ["--steps", "30"])
    assert sum(whole[-5:]) < 0.6 * sum(whole[:5])
    train_detector.main(options + ["--steps", "15"])
    assert train_detector.main(options + ["--steps", "30", "--resume"]) == whole[15:]


def test_two_processes_on_the_cpu(tmp_path):
    command = [sys.executable, "train_detector.py", "--no-cuda", "--distributed", "--steps", "2", "--batch-size", "4",
               "--log-every", "1", "--checkpoint", str(tmp_path / "detector.pt")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "step    2" in result.stdout


@pytest.mark.skipif(os.environ.get("VISIONEXT_TEST_JIT") != "1", reason="slow: set VISIONEXT_TEST_JIT=1")
def test_jit_build():
    from visionext.jit import load_extension

    module = load_extension()
    assert module.WITH_CUDA == torch.cuda.is_available()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_mixed_precision(tmp_path):
    losses = train_detector.main(["--amp", "--steps", "30", "--checkpoint", str(tmp_path / "detector.pt")])
    assert losses[-1] < losses[0]
