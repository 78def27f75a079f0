from torch.profiler import ProfilerActivity, profile
import accelerator
with profile(activities=[ProfilerActivity.CPU, accelerator.profiler_activity()]) as p:
    pass
print(p.key_averages().table(sort_by=f"self_{accelerator.accelerator_type()}_time_total"))
