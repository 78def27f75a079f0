import pynvml

pynvml.nvmlInit()
h = pynvml.nvmlDeviceGetHandleByIndex(i)
