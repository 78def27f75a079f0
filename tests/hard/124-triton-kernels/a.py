import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def add(x, y, n, B: tl.constexpr):
    pass


add[(g,)](x, y, n, B=1024, num_warps=8, num_stages=4)
