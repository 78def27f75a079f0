def move_to_cuda(batch):
    return batch.cuda()
