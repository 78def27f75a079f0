import torch

from lmtrain.config import DataConfig
from lmtrain.data import StepSampler, batches_on_device, build_datasets, build_loader, generate_corpus


def test_corpus_depends_on_the_seed_only():
    assert generate_corpus(50, seed=1) == generate_corpus(50, seed=1)
    assert generate_corpus(50, seed=1) != generate_corpus(50, seed=2)


def test_tokenizer_round_trip():
    _, _, tokenizer = build_datasets(DataConfig(sentences=100), block_size=16)
    text = generate_corpus(5, seed=3)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_sampler_resumes_in_the_middle():
    whole = list(StepSampler(1000, 4, 0, 10, seed=5))
    assert list(StepSampler(1000, 4, 6, 10, seed=5)) == whole[6:]
    assert list(StepSampler(1000, 4, 0, 10, seed=5, rank=1)) != whole


def test_targets_are_the_next_characters():
    config = DataConfig(sentences=100, batch_size=4, num_workers=0)
    dataset, _, _ = build_datasets(config, block_size=16)
    loader = build_loader(dataset, config, StepSampler(len(dataset), 4, 0, 3, seed=0))
    batches = list(batches_on_device(loader, torch.device("cpu")))
    assert len(batches) == 3
    for ids, targets in batches:
        assert ids.shape == targets.shape == (4, 16)
        assert torch.equal(ids[:, 1:], targets[:, :-1])
