import accelerator
tc = accelerator.accelerator_module()
__all__ = ["tc"]
accelerator.synchronize()
