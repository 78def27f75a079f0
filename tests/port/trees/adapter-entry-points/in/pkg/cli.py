import sys

try:
    import numpy
except ImportError:
    numpy = None
from pkg import ops

if __name__ == "__main__":
    ops.run()
