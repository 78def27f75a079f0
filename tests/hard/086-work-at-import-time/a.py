from dataclasses import dataclass, field

import torch

NUM_GPU = torch.cuda.device_count()


@dataclass
class Cfg:
    shards: int = field(default=2 * torch.cuda.device_count())
