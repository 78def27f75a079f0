x = x.cuda()
