try:
    import fused_adam_cuda
except ImportError:
    fused_adam_cuda = None
