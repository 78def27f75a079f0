import copy
import os
import subprocess
import sys

import pytest
import torch

from lmtrain import checkpoint
from lmtrain.config import ModelConfig, OptimConfig
from lmtrain.engine import Trainer, learning_rate, pick_dtype
from lmtrain.generate import load_model, sample
from lmtrain.model import GPT, build_optimizer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(config, resume=False):
    with Trainer(config) as trainer:
        if resume:
            assert trainer.resume()
        trainer.fit()
        return trainer


def test_loss_falls():
    torch.manual_seed(0)
    model = GPT(ModelConfig(vocab_size=11, block_size=8, n_layer=1, n_head=2, n_embd=16, dropout=0.0))
    optimizer = build_optimizer(model, OptimConfig(lr=1e-2), device_type="cpu")
    ids = torch.randint(11, (4, 8))
    first = model(ids, ids)[1].item()
    for _ in range(30):
        optimizer.zero_grad()
        loss = model(ids, ids)[1]
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.5 * first


def test_attention_is_causal():
    model = GPT(ModelConfig(vocab_size=11, block_size=8, n_layer=2, n_head=2, n_embd=16, dropout=0.0)).eval()
    ids = torch.randint(11, (1, 8))
    changed = ids.clone()
    changed[0, 5] = (changed[0, 5] + 1) % 11
    before, after = model(ids)[0], model(changed)[0]
    assert torch.allclose(before[:, :5], after[:, :5], atol=1e-6)
    assert not torch.allclose(before[:, 5:], after[:, 5:], atol=1e-6)


def test_training_is_deterministic_and_learns(tiny_config):
    first = run(tiny_config()).losses
    assert first[-1] < first[0] - 0.5
    assert run(tiny_config()).losses == first


def test_gradient_checkpointing_changes_nothing(tiny_config):
    plain = run(tiny_config()).losses
    config = tiny_config()
    config.model.gradient_checkpointing = True
    assert run(config).losses == pytest.approx(plain, abs=1e-6)


def test_resumed_run_equals_uninterrupted_run(tiny_config):
    config = tiny_config()
    whole = run(copy.deepcopy(config))
    pointer = os.path.join(config.train.out_dir, "latest")
    with open(pointer, "w", encoding="utf-8") as file:
        file.write("step_000010")
    resumed = run(copy.deepcopy(config), resume=True)
    assert resumed.losses == whole.losses[10:]
    for left, right in zip(resumed.raw_model.parameters(), whole.raw_model.parameters()):
        assert torch.equal(left, right)


def test_old_checkpoints_are_removed(tiny_config):
    config = tiny_config(save_every=4, keep_checkpoints=2)
    run(config)
    assert checkpoint._step_directories(config.train.out_dir) == ["step_000016", "step_000020"]


def test_sampling_from_a_checkpoint(tiny_config):
    config = tiny_config()
    run(config)
    model, tokenizer = load_model(config.train.out_dir, device="cpu")
    text = sample(model, tokenizer, "the ", 20, seed=1, top_k=5)
    assert text.startswith("the ") and len(text) == 24
    assert text == sample(model, tokenizer, "the ", 20, seed=1, top_k=5)


def test_schedule():
    config = OptimConfig(lr=1.0, warmup_steps=10, min_lr_ratio=0.1)
    assert learning_rate(0, 100, config) == pytest.approx(0.1)
    assert learning_rate(10, 100, config) == pytest.approx(1.0)
    assert learning_rate(100, 100, config) == pytest.approx(0.1)


def test_cpu_trains_in_fp32():
    assert pick_dtype("auto", torch.device("cpu")) is torch.float32


def test_two_ranks_on_the_cpu(tmp_path):
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", "train.py",
        "--config", "configs/tiny.yaml", "--device", "cpu", "--steps", "6", "--out-dir", str(tmp_path),
        "--set", "train.save_every=3", "optim.grad_accum=2",
    ]
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "2 rank(s)" in result.stdout
    assert os.path.exists(tmp_path / "step_000006" / "rng_rank1.pt")
    resumed = subprocess.run(command + ["--resume"], cwd=ROOT, env=environment, capture_output=True, text=True,
                             timeout=300)
    assert resumed.returncode == 0, resumed.stderr


@pytest.mark.gpu
def test_mixed_precision_on_the_gpu(tiny_config):
    trainer = run(tiny_config(device="cuda", precision="fp16"))
    assert next(trainer.raw_model.parameters()).device == torch.device("cuda:0")
    assert trainer.losses[-1] < trainer.losses[0]
    assert torch.cuda.max_memory_allocated() > 0


@pytest.mark.gpu
def test_resume_restores_the_gpu_generator(tiny_config):
    config = tiny_config(device="cuda", precision="fp32")
    whole = run(copy.deepcopy(config)).losses
    with open(os.path.join(config.train.out_dir, "latest"), "w", encoding="utf-8") as file:
        file.write("step_000010")
    resumed = run(copy.deepcopy(config), resume=True).losses
    assert resumed == pytest.approx(whole[10:], abs=1e-4)
