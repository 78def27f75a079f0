from utils import move_to_cuda
move_to_cuda(batch)
set_seed(1, using_cuda=True)
model_parallel_cuda_manual_seed(1234)
