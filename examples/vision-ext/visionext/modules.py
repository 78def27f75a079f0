import torch.nn as nn

from .functional import gaussian_blur, roi_pool


class RoIPool(nn.Module):
    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, features, rois):
        return roi_pool(features, rois, self.output_size, self.spatial_scale)

    def extra_repr(self):
        return f"output_size={self.output_size}, spatial_scale={self.spatial_scale}"


class GaussianBlur(nn.Module):
    def __init__(self, sigma):
        super().__init__()
        self.sigma = sigma

    def forward(self, image):
        return gaussian_blur(image, self.sigma)

    def extra_repr(self):
        return f"sigma={self.sigma}"
