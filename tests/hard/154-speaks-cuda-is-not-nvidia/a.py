import torch

if torch.cuda.is_available():
    use_nvidia_only_kernel()
