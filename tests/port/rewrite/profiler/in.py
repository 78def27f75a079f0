from torch.profiler import ProfilerActivity, profile
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    pass
print(p.key_averages().table(sort_by="self_cuda_time_total"))
