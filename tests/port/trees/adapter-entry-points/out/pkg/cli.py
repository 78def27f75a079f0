import sys

try:
    import torch_musa  # noqa: F401
except ModuleNotFoundError:  # no machine of Moore Threads MUSA
    pass
else:
    import torchada  # noqa: F401
try:
    import numpy
except ImportError:
    numpy = None
from pkg import ops

if __name__ == "__main__":
    ops.run()
