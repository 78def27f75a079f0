import torch.distributed as dist
from torch.distributed import ProcessGroupNCCL

opts = dist.ProcessGroupNCCL.Options(is_high_priority_stream=True)
