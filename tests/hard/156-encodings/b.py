# no cookie
name = "от©╗"; x = x.cuda()
