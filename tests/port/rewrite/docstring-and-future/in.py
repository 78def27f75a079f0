#!/usr/bin/env python
# Licence
"""Trains on cuda."""
from __future__ import annotations

__version__ = "1"

import torch  # the library

x = torch.zeros(1).cuda()
