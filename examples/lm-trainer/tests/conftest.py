import pytest
import torch

from lmtrain.config import config_from_dict


def pytest_collection_modifyitems(items):
    if torch.cuda.is_available():
        return
    skip = pytest.mark.skip(reason="needs a CUDA device")
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(skip)


@pytest.fixture
def tiny_config(tmp_path):
    def build(device="cpu", **train):
        return config_from_dict({
            "model": {"block_size": 32, "n_layer": 2, "n_head": 2, "n_embd": 32, "dropout": 0.1},
            "data": {"sentences": 300, "batch_size": 8, "num_workers": 0},
            "optim": {"lr": 5e-3, "warmup_steps": 4},
            "train": {"device": device, "steps": 20, "save_every": 10, "eval_every": 0, "log_every": 10,
                      "out_dir": str(tmp_path / "run"), **train},
        })

    return build
