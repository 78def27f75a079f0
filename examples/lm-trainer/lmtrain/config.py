"""Typed configuration, read from YAML."""
import dataclasses
from dataclasses import dataclass, field
from typing import Any, List, Tuple

import yaml


@dataclass
class ModelConfig:
    vocab_size: int = 0  # 0: taken from the data set
    block_size: int = 128
    n_layer: int = 6
    n_head: int = 6
    n_embd: int = 384
    dropout: float = 0.1
    gradient_checkpointing: bool = False


@dataclass
class DataConfig:
    sentences: int = 20000
    seed: int = 7
    batch_size: int = 32  # per rank and micro step
    num_workers: int = 2
    pin_memory: bool = True
    prefetch_to_gpu: bool = True


@dataclass
class OptimConfig:
    lr: float = 3e-4
    min_lr_ratio: float = 0.1
    warmup_steps: int = 100
    weight_decay: float = 0.1
    betas: Tuple[float, float] = (0.9, 0.95)
    grad_clip: float = 1.0
    grad_accum: int = 1


@dataclass
class TrainConfig:
    device: str = "cuda"
    precision: str = "auto"  # auto | fp32 | fp16 | bf16
    allow_tf32: bool = True
    backend: str = "nccl"
    seed: int = 1337
    steps: int = 2000
    log_every: int = 10
    eval_every: int = 500
    eval_batches: int = 8
    save_every: int = 500
    keep_checkpoints: int = 3
    empty_cache_every: int = 0
    profile: bool = False
    out_dir: str = "runs/default"


@dataclass
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    data: DataConfig = field(default_factory=DataConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
    train: TrainConfig = field(default_factory=TrainConfig)

    def to_dict(self) -> dict:
        plain = dataclasses.asdict(self)
        plain["optim"]["betas"] = list(plain["optim"]["betas"])
        return plain


def _coerce(current: Any, value: Any, name: str) -> Any:
    """YAML reads `3e-4` as a string; bring every value to the type of its default."""
    kind = type(current)
    if kind is bool:
        if isinstance(value, bool):
            return value
        if str(value).lower() in ("true", "false"):
            return str(value).lower() == "true"
        raise ValueError(f"{name}: expected true or false, got {value!r}")
    if kind is tuple:
        return tuple(float(v) for v in value)
    try:
        return kind(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected {kind.__name__}, got {value!r}") from error


def _update(section: Any, values: dict, prefix: str) -> None:
    for key, value in values.items():
        if not hasattr(section, key):
            raise ValueError(f"unknown option {prefix}.{key}")
        setattr(section, key, _coerce(getattr(section, key), value, f"{prefix}.{key}"))


def config_from_dict(raw: dict) -> Config:
    config = Config()
    for name, values in raw.items():
        if not hasattr(config, name):
            raise ValueError(f"unknown section {name}")
        _update(getattr(config, name), values or {}, name)
    validate(config)
    return config


def load_config(path: str, overrides: List[str] = ()) -> Config:
    with open(path, encoding="utf-8") as file:
        raw = yaml.safe_load(file) or {}
    for item in overrides:
        key, separator, value = item.partition("=")
        section, dot, option = key.partition(".")
        if not separator or not dot:
            raise ValueError(f"expected SECTION.KEY=VALUE, got {item!r}")
        raw.setdefault(section, {})[option] = yaml.safe_load(value)
    return config_from_dict(raw)


def validate(config: Config) -> None:
    if config.model.n_embd % config.model.n_head:
        raise ValueError("model.n_embd must be a multiple of model.n_head")
    if config.train.device not in ("cuda", "cpu"):
        raise ValueError(f"train.device must be 'cuda' or 'cpu', got {config.train.device!r}")
    if config.train.precision not in ("auto", "fp32", "fp16", "bf16"):
        raise ValueError(f"unknown train.precision {config.train.precision!r}")
    if config.train.backend not in ("nccl", "gloo"):
        raise ValueError(f"unknown train.backend {config.train.backend!r}")
