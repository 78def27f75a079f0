import torch

from .imports import is_npu_available
from .utils import move_to_cuda


class Trainer:
    def __init__(self, cfg):
        self.npu = is_npu_available()
        self.cuda = torch.cuda.is_available() and not cfg.cpu and not self.npu
        if self.cuda:
            self.device = torch.device("cuda")
        elif self.npu:
            self.device = torch.device("npu")
        else:
            self.device = torch.device("cpu")

    def prepare(self, sample):
        if self.cuda:
            sample = move_to_cuda(sample)
        elif self.npu:
            sample = sample.npu()
        return sample
