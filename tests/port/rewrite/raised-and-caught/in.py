import torch
try:
    step()
except torch.cuda.OutOfMemoryError as error:
    torch.cuda.empty_cache()
    raise RuntimeError("CUDA is full") from error
