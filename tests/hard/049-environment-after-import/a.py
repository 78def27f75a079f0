import os

import torch


def select(dev):
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1" if dev == "cpu" else dev
    assert torch.cuda.device_count() >= 1
