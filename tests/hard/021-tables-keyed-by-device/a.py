BACKEND = {"cuda": "nccl", "cpu": "gloo"}
b = BACKEND[x.device.type]
