"""The operators: autograd around the compiled kernels, plain PyTorch where there are none."""
import math
from typing import Tuple, Union

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from ._loader import extension_for


class _RoIPool(Function):
    @staticmethod
    @torch.cuda.amp.custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, features, rois, output_size, spatial_scale):
        module = extension_for(features)
        output, argmax = module.roi_pool_forward(
            features.contiguous(), rois.contiguous(), spatial_scale, output_size[0], output_size[1]
        )
        ctx.save_for_backward(rois, argmax)
        ctx.input_size = features.shape
        return output

    @staticmethod
    @once_differentiable
    @torch.cuda.amp.custom_bwd
    def backward(ctx, grad):
        rois, argmax = ctx.saved_tensors
        batch, _, height, width = ctx.input_size
        module = extension_for(grad)
        return module.roi_pool_backward(grad.contiguous(), rois, argmax, batch, height, width), None, None, None


class _GaussianBlur(Function):
    @staticmethod
    def forward(ctx, image, kernel):
        ctx.save_for_backward(kernel)
        return extension_for(image).gaussian_blur(image.contiguous(), kernel)

    @staticmethod
    def backward(ctx, grad):
        # The kernel is symmetric and the border is zero, so the blur is its own adjoint.
        (kernel,) = ctx.saved_tensors
        return _GaussianBlur.apply(grad, kernel), None


class _MaskedMean(Function):
    @staticmethod
    def forward(ctx, features, mask):
        ctx.save_for_backward(mask)
        ctx.dtype = features.dtype
        return extension_for(features).masked_mean(features.contiguous(), mask.float().contiguous())

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        weights = mask.to(ctx.dtype)
        weights = weights / weights.sum((1, 2), keepdim=True).clamp_min(1)
        return grad[:, :, None, None] * weights[:, None], None


def _roi_pool_fallback(features, rois, output_size, spatial_scale):
    height, width = features.shape[-2:]
    pooled = []
    for image, x1, y1, x2, y2 in rois.tolist():
        # Rounded in fp32, like the kernels.
        scaled = torch.tensor([x1, y1, x2, y2], dtype=torch.float32) * spatial_scale
        left = min(max(math.floor(scaled[0]), 0), width - 1)
        top = min(max(math.floor(scaled[1]), 0), height - 1)
        right = min(max(math.ceil(scaled[2]), left + 1), width)
        bottom = min(max(math.ceil(scaled[3]), top + 1), height)
        pooled.append(F.adaptive_max_pool2d(features[int(image), :, top:bottom, left:right], output_size))
    if not pooled:
        return features.new_zeros((0, features.shape[1], *output_size))
    return torch.stack(pooled)


def roi_pool(
    features: torch.Tensor,
    rois: torch.Tensor,
    output_size: Union[int, Tuple[int, int]],
    spatial_scale: float = 1.0,
) -> torch.Tensor:
    """Max pooling of boxes (image, x1, y1, x2, y2) [K, 5] of features [N, C, H, W] to [K, C, PH, PW]."""
    if isinstance(output_size, int):
        output_size = (output_size, output_size)
    rois = rois.to(device=features.device, dtype=torch.float32)
    if extension_for(features) is None:
        return _roi_pool_fallback(features, rois, output_size, spatial_scale)
    return _RoIPool.apply(features, rois, output_size, spatial_scale)


def gaussian_kernel(sigma: float, device="cuda", dtype=torch.float32) -> torch.Tensor:
    """A normalised kernel of three sigmas on either side."""
    radius = max(1, math.ceil(3 * sigma))
    offsets = torch.arange(-radius, radius + 1, device=device, dtype=torch.float32)
    kernel = torch.exp(-0.5 * (offsets / sigma) ** 2)
    return (kernel / kernel.sum()).to(dtype)


def gaussian_blur(image: torch.Tensor, sigma: float) -> torch.Tensor:
    """Blurs [N, C, H, W]; outside the image is zero."""
    kernel = gaussian_kernel(sigma, device=image.device, dtype=image.dtype)
    if extension_for(image) is not None:
        return _GaussianBlur.apply(image, kernel)
    channels, radius = image.shape[1], len(kernel) // 2
    rows = kernel.view(1, 1, 1, -1).repeat(channels, 1, 1, 1)
    blurred = F.conv2d(image, rows, padding=(0, radius), groups=channels)
    return F.conv2d(blurred, rows.transpose(2, 3), padding=(radius, 0), groups=channels)


def masked_mean(features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean of [N, C, H, W] over mask [N, H, W], as [N, C]; zero where the mask is empty."""
    if extension_for(features) is not None:
        return _MaskedMean.apply(features, mask)
    weights = mask.to(features.dtype).unsqueeze(1)
    return (features * weights).sum((2, 3)) / weights.sum((2, 3)).clamp_min(1)
