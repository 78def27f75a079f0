import torch as th

dev = args.device
wants_gpu = dev.type == th.device("cuda").type
if wants_gpu and not th.cuda.is_available():
    dev = th.device("cpu")
