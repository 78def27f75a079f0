import torch
import accelerator
where = accelerator.accelerator_module()
where.synchronize()
