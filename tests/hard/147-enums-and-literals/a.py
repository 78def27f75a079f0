from enum import Enum
from typing import Literal

Dev = Literal["cpu", "cuda"]


class DeviceType(Enum):
    CUDA = "cuda"
