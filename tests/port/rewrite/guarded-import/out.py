import accelerator
try:
    autocast = accelerator.accelerator_module().amp.autocast
except ImportError:
    autocast = None
try:
    from torch.cuda.amp import something_new
except ImportError:
    something_new = None
