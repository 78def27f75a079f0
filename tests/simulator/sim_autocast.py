"""CPU autocast under the lists of torch's first accelerator, which the platform follows: written in Python from torch's
documentation and list of operators, so that what the simulator casts is compared with another implementation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map

LOWER = """
_convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
conv_transpose3d.input convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm
chain_matmul linalg_multi_dot lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention
"""
# All parts of a recurrent layer are on the list above.
LAYERS = "lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data rnn_relu.input rnn_relu.data"
FULL = """
acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor
pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim
cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss
smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss
multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp upsample_nearest1d
_upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d
upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d upsample_bicubic2d
_upsample_bicubic2d_aa
"""
# These get dtype=float32 instead of a cast argument.
FULL_BY_OPTION = """
prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm
linalg_matrix_norm.str_ord sum sum.dim_IntList
"""
WIDEST = "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add"

Policy = Callable[[Any, tuple, dict], Any]
_low = torch.bfloat16
_cache: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
_libraries: list[torch.library.Library] = []


def _cast(value: object, dtype: torch.dtype) -> object:
    """As torch does: floating tensors but doubles; the casts of leaves are kept until autocast ends."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.dtype == torch.float64:
        return value
    if value.dtype == dtype:
        return value
    if not (value.requires_grad and value.is_leaf and value.dtype == torch.float32 and dtype == _low):
        return value.to(dtype)
    if id(value) not in _cache:
        _cache[id(value)] = (value, value.to(dtype))
    return _cache[id(value)][1]


def _lower(op: Any, given: tuple, options: dict) -> object:  # noqa: ANN401 - an operator
    return op(*tree_map(lambda v: _cast(v, _low), given), **tree_map(lambda v: _cast(v, _low), options))


def _full(op: Any, given: tuple, options: dict) -> object:  # noqa: ANN401
    full = torch.float32
    return op(*tree_map(lambda v: _cast(v, full), given), **tree_map(lambda v: _cast(v, full), options))


def _by_option(op: Any, given: tuple, options: dict) -> object:  # noqa: ANN401
    names = [argument.name for argument in op._schema.arguments]
    if "dtype" not in names:
        return _full(op, given, options)
    is_low = isinstance(given[0], torch.Tensor) and given[0].dtype in (torch.float16, torch.bfloat16, torch.float32)
    place = names.index("dtype")
    if len(given) > place and given[place] is None:
        given = given[:place]
    if is_low and len(given) <= place and options.get("dtype") is None:
        options = {**options, "dtype": torch.float32}
    return op(*given, **options)


def _widest(op: Any, given: tuple, options: dict) -> object:  # noqa: ANN401
    found: list[torch.dtype] = []
    tree_map(lambda v: found.append(v.dtype) if isinstance(v, torch.Tensor) and v.is_floating_point() else None, given)
    wide = torch.float32 if torch.float32 in found else _low
    return op(*tree_map(lambda v: _cast(v, wide), given), **options)


def _kernel(op: Any, policy: Policy | None) -> Callable[..., object]:  # noqa: ANN401
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)

    def kernel(*given: object, **options: object) -> object:
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return op(*given, **options) if policy is None else policy(op, given, options)

    return kernel


def _operator(name: str) -> Any:  # noqa: ANN401
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def install() -> None:
    """For this process, once: the CPU's own lists give way."""
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCPU")
    policies: dict[str, Policy | None] = {
        name.removeprefix("aten::"): None for name in registered if name.startswith("aten::")
    }
    lists = ((LOWER + LAYERS, _lower), (FULL, _full), (FULL_BY_OPTION, _by_option), (WIDEST, _widest))
    for names, policy in lists:
        policies.update(dict.fromkeys(names.split(), policy))
    _libraries.append(torch.library.Library("aten", "IMPL"))
    for name, policy in policies.items():
        _libraries[0].impl(name, _kernel(_operator(name), policy), "AutocastCPU", allow_override=True)


@contextlib.contextmanager
def autocast(dtype: torch.dtype) -> Iterator[None]:
    global _low
    _low = dtype
    _cache.clear()  # a checkpoint's second pass enters torch's own context
    with torch.autocast("cpu", dtype=dtype):
        yield
    _cache.clear()
