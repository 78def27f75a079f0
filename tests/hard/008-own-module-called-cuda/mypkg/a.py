from mypkg.cuda import CudaTimer
from . import cuda
cuda.start()
