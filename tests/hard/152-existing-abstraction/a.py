from deepspeed.accelerator import get_accelerator
get_accelerator().reset_peak_memory_stats("cuda")
