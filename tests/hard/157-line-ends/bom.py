# coding: utf-8
import torch
x.cuda()
