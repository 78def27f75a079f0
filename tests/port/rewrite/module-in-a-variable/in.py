import torch
where = torch.cuda
where.synchronize()
