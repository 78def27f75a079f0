import pytest

from lmtrain.config import config_from_dict, load_config


def test_defaults_are_for_one_gpu():
    config = config_from_dict({})
    assert config.train.device == "cuda"
    assert config.train.backend == "nccl"


def test_overrides_win_and_take_the_type_of_the_default():
    config = load_config("configs/tiny.yaml", ["optim.lr=3e-4", "train.device=cpu", "data.pin_memory=false"])
    assert config.optim.lr == pytest.approx(3e-4)
    assert config.train.device == "cpu"
    assert config.data.pin_memory is False


def test_round_trip():
    config = load_config("configs/base.yaml")
    assert config_from_dict(config.to_dict()) == config


@pytest.mark.parametrize("raw", [
    {"train": {"device": "gpu"}},
    {"train": {"devices": "cuda"}},
    {"optimizer": {}},
    {"train": {"precision": "fp8"}},
    {"model": {"n_embd": 30, "n_head": 4}},
])
def test_mistakes_are_refused(raw):
    with pytest.raises(ValueError):
        config_from_dict(raw)
