# -*- coding: gbk -*-
name = "显卡"
x = x.cuda()
