import torch.cuda as tc
import torch.cuda.nvtx as nvtx
import torch.cuda.nccl as nccl
