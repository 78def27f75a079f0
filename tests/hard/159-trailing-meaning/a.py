import torch
import fused_x_cuda  # noqa: F401
x = y.cuda()  # type: ignore[attr-defined]
a = torch.cuda.FloatTensor(n)  # pylint: disable=no-member
