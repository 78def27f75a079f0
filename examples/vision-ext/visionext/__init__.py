"""RoI pooling, Gaussian blur and masked mean, with CUDA kernels where they were built."""
from ._loader import extension, has_cuda_kernels
from .functional import gaussian_blur, gaussian_kernel, masked_mean, roi_pool
from .modules import GaussianBlur, RoIPool

__all__ = [
    "GaussianBlur",
    "RoIPool",
    "extension",
    "gaussian_blur",
    "gaussian_kernel",
    "has_cuda_kernels",
    "masked_mean",
    "roi_pool",
]
__version__ = "0.2.0"
