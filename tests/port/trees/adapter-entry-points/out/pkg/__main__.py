try:
    import torch_musa  # noqa: F401
except ModuleNotFoundError:  # no machine of Moore Threads MUSA
    pass
else:
    import torchada  # noqa: F401
from . import ops

ops.run()
