import torch
print "on", torch.cuda.device_count()
x = torch.zeros(3).cuda()
y = x.to("cuda:%d" % i)
