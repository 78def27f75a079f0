import torch
a = x.cuda()
b = x.cuda(0)
c = x.cuda(i, non_blocking=True)
d = x.cuda(i, True)
e = x.cuda(non_blocking=True)
f = x.cuda(device=i)
g = (torch.zeros(3)
     .float()
     .cuda(  # the card
         rank  # of this process
     )
     .half())
h = [t.cuda() for t in xs]
k = y.cuda(args.gpu if args.gpu else 0)
