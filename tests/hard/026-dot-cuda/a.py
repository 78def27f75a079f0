x = x.cuda(rank, non_blocking=True)
x = x.cuda(device=None)
model.cuda().half()
