import torch
tag = b"cuda"
use_cuda = True
cuda = None
print("cuda is fast")  # cuda
