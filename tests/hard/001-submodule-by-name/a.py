from torch import cuda
n = cuda.device_count()
