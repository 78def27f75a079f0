import torch as th
import accelerator
accelerator.synchronize()
n = accelerator.device_count()
accelerator.set_accelerator_device(n - 1)
accelerator.empty_cache()
where = accelerator.current_device()
f = accelerator.is_available
peak = accelerator.accelerator_module().max_memory_allocated() / 2**20
stream = accelerator.accelerator_module().Stream(priority=-1)
with accelerator.accelerator_module().stream(stream), accelerator.accelerator_module().device(0):
    pass
