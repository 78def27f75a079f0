import torch

device_name = "cuda"
mod = getattr(torch, device_name)
