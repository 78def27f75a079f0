from torch.profiler import ProfilerActivity

acts = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
print(prof.key_averages().table(sort_by="cuda_time_total"))
t = getattr(evt, "self_cuda_time_total", 0.0)
