import torch as th

device = 'cuda' if th.cuda.is_available() else 'cpu'
x = th.zeros(1).cuda(0)
th.cuda.synchronize(device=device)
count = th.cuda.device_count
index = th.cuda.current_device()
