if p.type() == 'torch.cuda.HalfTensor':
    pass
ok = t.type() in ['torch.cuda.FloatTensor', 'torch.cuda.BFloat16Tensor']
