"""The training loop."""
import contextlib
import dataclasses
import json
import math
import os

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

from . import checkpoint, data, distributed, metrics
from .config import Config, OptimConfig
from .model import GPT, build_optimizer


def pick_dtype(precision: str, device: torch.device) -> torch.dtype:
    """bf16 needs Ampere (compute capability 8.0) or newer; older cards train in fp16."""
    if precision == "fp32" or device.type != "cuda":
        return torch.float32
    if precision == "fp16":
        return torch.float16
    major, _ = torch.cuda.get_device_capability(device)
    if major >= 8 and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    if precision == "bf16":
        raise RuntimeError(f"{torch.cuda.get_device_name(device)} has no bf16, use precision: fp16")
    return torch.float16


def learning_rate(step: int, total: int, config: OptimConfig) -> float:
    """Linear warm-up, then a cosine down to min_lr_ratio."""
    if step < config.warmup_steps:
        return config.lr * (step + 1) / config.warmup_steps
    progress = (step - config.warmup_steps) / max(1, total - config.warmup_steps)
    floor = config.lr * config.min_lr_ratio
    return floor + 0.5 * (config.lr - floor) * (1.0 + math.cos(math.pi * min(1.0, progress)))


class Trainer:
    def __init__(self, config: Config):
        self.config = config
        self.context = distributed.setup(config.train.device, config.train.backend)
        self.device = self.context.device
        distributed.configure_backends(config.train.allow_tf32)

        self.train_set, self.eval_set, self.tokenizer = data.build_datasets(config.data, config.model.block_size)
        config.model.vocab_size = self.tokenizer.vocab_size

        distributed.seed_everything(config.train.seed)  # the same weights on every rank
        self.raw_model = GPT(config.model).to(self.device)
        distributed.seed_everything(config.train.seed, self.context.rank)  # but other dropout masks
        self.model = self._wrap(self.raw_model)

        self.optimizer = build_optimizer(self.raw_model, config.optim, device_type=self.device.type)
        self.dtype = pick_dtype(config.train.precision, self.device)
        self.scaler = torch.cuda.amp.GradScaler(enabled=self.dtype == torch.float16)
        self.timer = metrics.StepTimer(self.device)
        self.step = 0
        self.losses = []
        os.makedirs(config.train.out_dir, exist_ok=True)

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(self, *exc_info) -> None:
        distributed.cleanup()

    def _wrap(self, model: GPT):
        if not self.context.distributed:
            return model
        if self.device.type == "cuda":
            return DDP(model, device_ids=[self.context.local_rank], output_device=self.context.local_rank)
        return DDP(model)

    def _autocast(self):
        if self.dtype == torch.float32:
            return contextlib.nullcontext()
        return torch.autocast(device_type="cuda", dtype=self.dtype)

    def log(self, message: str) -> None:
        if self.context.is_main:
            print(message, flush=True)

    def resume(self) -> bool:
        directory = checkpoint.latest(self.config.train.out_dir)
        if directory is None:
            self.log("nothing to resume from, starting anew")
            return False
        self.step = checkpoint.load_for_training(
            directory, self.raw_model, self.optimizer, self.scaler, self.context
        )
        self.log(f"resumed from {directory} at step {self.step}")
        return True

    def save(self) -> str:
        meta = {"config": self.config.to_dict(), "alphabet": self.tokenizer.alphabet}
        return checkpoint.save(
            self.config.train.out_dir, self.step, self.raw_model, self.optimizer, self.scaler,
            meta, self.context, self.config.train.keep_checkpoints,
        )

    def train_step(self, batches) -> torch.Tensor:
        """One optimizer step over grad_accum micro batches; returns the mean loss."""
        config = self.config.optim
        lr = learning_rate(self.step, self.config.train.steps, config)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.device)
        for micro in range(config.grad_accum):
            ids, targets = next(batches)
            last = micro == config.grad_accum - 1
            sync = contextlib.nullcontext() if last or not self.context.distributed else self.model.no_sync()
            with sync:
                with self._autocast(), metrics.nvtx_range("forward"):
                    _, loss = self.model(ids, targets)
                    loss = loss / config.grad_accum
                with metrics.nvtx_range("backward"):
                    self.scaler.scale(loss).backward()
            total += loss.detach()
        self.scaler.unscale_(self.optimizer)
        self.grad_norm = torch.nn.utils.clip_grad_norm_(self.raw_model.parameters(), config.grad_clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return total

    def fit(self) -> list:
        train = self.config.train
        accum = self.config.optim.grad_accum
        sampler = data.StepSampler(
            len(self.train_set), self.config.data.batch_size, self.step * accum, train.steps * accum,
            train.seed, self.context.rank,
        )
        loader = data.build_loader(self.train_set, self.config.data, sampler)
        batches = iter(data.batches_on_device(loader, self.device, self.config.data.prefetch_to_gpu))
        self.log(f"device {self.device} ({metrics.describe_device(self.device)}), dtype {self.dtype}")
        self.log(f"{self.raw_model.num_parameters()} parameters, {self.context.world_size} rank(s)")
        self.model.train()
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        with metrics.build_profiler(train.profile and self.context.is_main, train.out_dir) as profiler:
            while self.step < train.steps:
                self.timer.start()
                loss = self.train_step(batches)
                elapsed = self.timer.stop()
                self.step += 1
                self._after_step(loss, elapsed)
                if profiler is not None:
                    profiler.step()
        self._report_end()
        return self.losses

    def _after_step(self, loss: torch.Tensor, elapsed: float) -> None:
        train = self.config.train
        loss = distributed.average(loss, self.context).item()
        self.losses.append(loss)
        if not math.isfinite(loss):
            raise FloatingPointError(f"loss is {loss} at step {self.step}")
        if self.step % train.log_every == 0 or self.step == train.steps:
            self._log_step(loss, elapsed)
        if train.eval_every and self.step % train.eval_every == 0:
            self.log(f"step {self.step:5d} | eval loss {self.evaluate():.4f}")
        if train.save_every and self.step % train.save_every == 0:
            self.log(f"saved {self.save()}")
        if train.empty_cache_every and self.step % train.empty_cache_every == 0:
            torch.cuda.empty_cache()

    def _log_step(self, loss: float, elapsed: float) -> None:
        tokens = self.config.data.batch_size * self.config.model.block_size * self.config.optim.grad_accum
        rate = tokens * self.context.world_size / (elapsed / 1000.0)
        line = (
            f"step {self.step:5d} | loss {loss:.6f} | grad {float(self.grad_norm):.3f} | "
            f"{elapsed:7.1f} ms | {rate:9.0f} tok/s"
        )
        memory = metrics.memory_summary(self.device)
        if memory:
            line += f" | peak {memory['peak_mib']:.0f} MiB, reserved {memory['reserved_mib']:.0f} MiB"
        share = metrics.model_flops_utilisation(
            self.raw_model.num_parameters(), rate / self.context.world_size, self.device
        )
        if share is not None:
            line += f" | mfu {share:.1%}"
        self.log(line)

    @torch.no_grad()
    def evaluate(self) -> float:
        self.model.eval()
        sampler = data.StepSampler(
            len(self.eval_set), self.config.data.batch_size, 0, self.config.train.eval_batches,
            self.config.train.seed, self.context.rank,
        )
        loader_config = dataclasses.replace(self.config.data, num_workers=0)
        loader = data.build_loader(self.eval_set, loader_config, sampler)
        total = torch.zeros((), device=self.device)
        for ids, targets in data.batches_on_device(loader, self.device, prefetch=False):
            with self._autocast():
                _, loss = self.raw_model(ids, targets)
            total += loss
        self.model.train()
        return distributed.average(total / len(sampler), self.context).item()

    def _report_end(self) -> None:
        summary = {"steps": self.step, "final_loss": self.losses[-1] if self.losses else None}
        summary.update(metrics.memory_summary(self.device))
        watts = metrics.power_watts(self.context.local_rank)
        if watts is not None:
            summary["watts"] = watts
        if self.context.is_main:
            with open(os.path.join(self.config.train.out_dir, "summary.json"), "w", encoding="utf-8") as file:
                json.dump(summary, file, indent=2)
