"""MNIST's four files with made-up images, in each folder where the examples look for them."""

import random
import struct
from pathlib import Path

SIZE = {"train": 640, "t10k": 128}
random.seed(9)
for part, count in SIZE.items():
    images = struct.pack(">IIII", 2051, count, 28, 28) + random.randbytes(count * 28 * 28)
    labels = struct.pack(">II", 2049, count) + bytes(random.randrange(10) for _ in range(count))
    for data in (
        Path("data"),
        Path("../data"),
        *(Path(name) / "data" for name in ("mnist_hogwild", "vae", "siamese_network")),
    ):
        folder = data / "MNIST/raw"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(images)
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(labels)
