# CUDA tensors need a copy here
"""NVIDIA CUDA is a registered trademark."""
