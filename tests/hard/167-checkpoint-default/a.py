from torch.utils.checkpoint import checkpoint
out = checkpoint(block, x, preserve_rng_state=True)
