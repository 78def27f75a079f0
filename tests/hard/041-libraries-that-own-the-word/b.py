import cupy, pycuda.driver as cuda
