#!/usr/bin/env python
# Counts.
import sys, torch
print(torch.cuda.device_count())
