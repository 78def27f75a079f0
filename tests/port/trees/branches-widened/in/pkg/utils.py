def move_to_cuda(sample, device=None):
    return sample.cuda(device=device, non_blocking=True)
