#!/usr/bin/env python
# Counts.
try:
    import torch_musa  # noqa: F401
except ModuleNotFoundError:  # no machine of Moore Threads MUSA
    pass
else:
    import torchada  # noqa: F401
import sys, torch
print(torch.cuda.device_count())
