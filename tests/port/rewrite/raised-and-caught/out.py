import torch
import accelerator
try:
    step()
except accelerator.accelerator_module().OutOfMemoryError as error:
    accelerator.empty_cache()
    raise RuntimeError("CUDA is full") from error
