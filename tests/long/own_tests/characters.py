"""What nanoGPT's data/shakespeare_char/prepare.py makes, of a text that is made up from a seed."""

import pickle
import random
from pathlib import Path

import numpy as np

random.seed(5)
words = ["".join(random.choices("abcdefghijklmnop", k=random.randint(2, 7))) for _ in range(60)]
text = " ".join(random.choice(words) for _ in range(4000))
characters = sorted(set(text))
number = {character: index for index, character in enumerate(characters)}
folder = Path("data/shakespeare_char")
codes = np.array([number[character] for character in text], dtype=np.uint16)
codes[: len(codes) * 9 // 10].tofile(folder / "train.bin")
codes[len(codes) * 9 // 10 :].tofile(folder / "val.bin")
meta = {"vocab_size": len(characters), "itos": dict(enumerate(characters)), "stoi": number}
(folder / "meta.pkl").write_bytes(pickle.dumps(meta))
