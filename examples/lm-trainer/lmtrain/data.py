"""A generated character corpus and the loader that feeds it to the GPU."""
import random
from typing import Iterator, List, Tuple

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from .config import DataConfig

_NOUNS = ["fox", "river", "engine", "lamp", "sailor", "garden", "winter", "letter", "bridge", "child"]
_ADJECTIVES = ["old", "quiet", "red", "small", "bright", "slow", "hungry", "distant"]
_VERBS = ["sees", "follows", "paints", "carries", "forgets", "hears", "opens"]
_ADVERBS = ["again", "at night", "with care", "every day", "too late"]


def generate_corpus(sentences: int, seed: int) -> str:
    """The same text for the same seed, on every machine."""
    rng = random.Random(seed)
    lines = []
    for _ in range(sentences):
        subject = f"the {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}"
        target = f"the {rng.choice(_NOUNS)}"
        lines.append(f"{subject} {rng.choice(_VERBS)} {target} {rng.choice(_ADVERBS)}.")
    return "\n".join(lines)


class CharTokenizer:
    def __init__(self, alphabet: str):
        self.alphabet = alphabet
        self._index = {char: i for i, char in enumerate(alphabet)}

    @classmethod
    def from_text(cls, text: str) -> "CharTokenizer":
        return cls("".join(sorted(set(text))))

    @property
    def vocab_size(self) -> int:
        return len(self.alphabet)

    def encode(self, text: str) -> List[int]:
        return [self._index[char] for char in text]

    def decode(self, ids: List[int]) -> str:
        return "".join(self.alphabet[i] for i in ids)


class CharDataset(Dataset):
    """Every window of block_size characters, with the next characters as targets."""

    def __init__(self, ids: torch.Tensor, block_size: int):
        if len(ids) <= block_size:
            raise ValueError(f"{len(ids)} characters are too few for block_size {block_size}")
        self.ids = ids
        self.block_size = block_size

    def __len__(self) -> int:
        return len(self.ids) - self.block_size

    def __getitem__(self, index: int) -> Tuple[torch.Tensor, torch.Tensor]:
        window = self.ids[index : index + self.block_size + 1]
        return window[:-1], window[1:]


class StepSampler(Sampler):
    """Batches that depend on seed, rank and step only, so that a resumed run sees the same ones."""

    def __init__(self, size: int, batch_size: int, first: int, last: int, seed: int, rank: int = 0):
        self.size = size
        self.batch_size = batch_size
        self.first = first
        self.last = last
        self.seed = seed
        self.rank = rank

    def __len__(self) -> int:
        return max(0, self.last - self.first)

    def __iter__(self) -> Iterator[List[int]]:
        for step in range(self.first, self.last):
            mixed = (self.seed * 1_000_003 + self.rank) * 1_000_003 + step
            generator = torch.Generator().manual_seed(mixed % 2**63)
            yield torch.randint(self.size, (self.batch_size,), generator=generator).tolist()


def build_datasets(config: DataConfig, block_size: int) -> Tuple[CharDataset, CharDataset, CharTokenizer]:
    text = generate_corpus(config.sentences, config.seed)
    tokenizer = CharTokenizer.from_text(text)
    ids = torch.tensor(tokenizer.encode(text), dtype=torch.long)
    split = int(len(ids) * 0.9)
    return CharDataset(ids[:split], block_size), CharDataset(ids[split:], block_size), tokenizer


def build_loader(dataset: CharDataset, config: DataConfig, sampler: StepSampler) -> DataLoader:
    return DataLoader(
        dataset,
        batch_sampler=sampler,
        num_workers=config.num_workers,
        pin_memory=config.pin_memory and torch.cuda.is_available(),
        persistent_workers=config.num_workers > 0,
        # A generator of its own: the loader's base seed must not advance the model's RNG.
        generator=torch.Generator().manual_seed(sampler.seed),
    )


class CudaPrefetcher:
    """Copies the next batch on a side stream while the current one is being computed."""

    def __init__(self, loader: DataLoader, device: torch.device):
        self.loader = loader
        self.device = device
        self.stream = torch.cuda.Stream(device=device)

    def __len__(self) -> int:
        return len(self.loader)

    def _copy(self, batch):
        with torch.cuda.stream(self.stream):
            return [tensor.cuda(self.device, non_blocking=True) for tensor in batch]

    def __iter__(self):
        batches = iter(self.loader)
        upcoming = next(batches, None)
        upcoming = self._copy(upcoming) if upcoming is not None else None
        while upcoming is not None:
            torch.cuda.current_stream(self.device).wait_stream(self.stream)
            current = upcoming
            for tensor in current:
                tensor.record_stream(torch.cuda.current_stream(self.device))
            following = next(batches, None)
            upcoming = self._copy(following) if following is not None else None
            yield current


def batches_on_device(loader: DataLoader, device: torch.device, prefetch: bool = True):
    if device.type == "cuda" and prefetch:
        yield from CudaPrefetcher(loader, device)
        return
    for batch in loader:
        yield [tensor.to(device, non_blocking=True) for tensor in batch]
