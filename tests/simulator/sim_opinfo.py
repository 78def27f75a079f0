"""Compares every operator with the CPU while torch's own samples of operators run on the simulated card: each call that
reaches the card is made a second time on the CPU with the same bytes, and with its in-place and `out` variants."""

from __future__ import annotations

import re
import sys
import unittest
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import sim_calls
import sim_card
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

# torch's test library wants this package for tests that compare texts; there are none here.
_stand_in = ModuleType("expecttest")
_stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
sys.modules.setdefault("expecttest", _stand_in)

# Results without defined values: only shapes and types are compared.
UNDEFINED = re.compile(r"aten::_?(new_)?empty|aten::resize_|aten::_efficientzerotensor")
# Entry points for devices outside torch's tree: the CPU has the operator under its plain name.
PLAIN = {
    "aten::convolution_overrideable": "aten::convolution",
    "aten::convolution_backward_overrideable": "aten::convolution_backward",
}

Row = str  # "add.Tensor", as in operators.tsv


def table_rows() -> list[Row]:
    """The vendor's overloads that this torch knows."""
    text = (sim_card.PLATFORM / "operators.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t")[0] for line in text.splitlines()[1:]]
    return [row for row in rows if _find(row) is not None]


def _find(row: Row) -> Any:  # noqa: ANN401 - an operator, or nothing
    base, _, overload = row.partition(".")
    packet = getattr(torch.ops.aten, base, None)
    return getattr(packet, overload or "default", None) if packet is not None else None


def row_of(op: Any) -> Row:  # noqa: ANN401
    name = op._schema.name.removeprefix("aten::")
    return f"{name}.{op._schema.overload_name}" if op._schema.overload_name else name


def differ(mine: object, other: object) -> str:
    """How two values differ; empty if they are equal to the last bit."""
    mine_flat, mine_tree = tree_flatten(mine)
    other_flat, other_tree = tree_flatten(other)
    if len(mine_flat) != len(other_flat) or mine_tree != other_tree:
        return f"other structure: {mine_tree} and {other_tree}"
    for a, b in zip(mine_flat, other_flat, strict=True):
        found = _differ_in_one(a, b)
        if found:
            return found
    return ""


def _differ_in_one(a: object, b: object) -> str:
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        same = a == b or (a != a and b != b) or isinstance(a, torch.Tensor) == isinstance(b, torch.Tensor) is False
        return "" if same or type(a) is type(b) is torch.Generator else f"{a} and {b}"
    if (a.dtype, a.shape, a.layout) != (b.dtype, b.shape, b.layout):
        return f"{a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}"
    if a.layout == torch.sparse_coo:
        return differ((a._indices(), a._values(), a.is_coalesced()), (b._indices(), b._values(), b.is_coalesced()))
    if a.is_quantized:
        a, b = a.int_repr(), b.int_repr()
    if a.numel() > 0 and a.stride() != b.stride():
        return f"strides {a.stride()} and {b.stride()}"
    left, right = _bytes(a.cpu()), _bytes(b)
    if torch.equal(left, right):
        return ""
    if a.is_floating_point() or a.is_complex():
        wide = torch.complex128 if a.is_complex() else torch.float64
        x, y = a.cpu().to(wide), b.to(wide)
        return "" if _same_but_nan_bits(x, y) else f"by {(x - y).abs().nan_to_num().max().item():.2g}"
    return "other values"


def _bytes(x: torch.Tensor) -> torch.Tensor:
    return torch.empty(x.shape, dtype=x.dtype).copy_(x).reshape(-1).view(torch.uint8)


def _same_but_nan_bits(x: torch.Tensor, y: torch.Tensor) -> bool:
    """The bits of a NaN are those of the instruction that made it."""
    if x.is_complex():
        return _same_but_nan_bits(torch.view_as_real(x), torch.view_as_real(y))
    return torch.equal(x.isnan(), y.isnan()) and torch.equal(x[~x.isnan()], y[~y.isnan()])


@dataclass
class Verdicts:
    """For each overload: how often it was compared, and the first difference."""

    equal: Counter[Row] = field(default_factory=Counter)
    different: dict[Row, str] = field(default_factory=dict)
    reasons: dict[Row, set[str]] = field(default_factory=lambda: defaultdict(set))

    def note(self, row: Row, difference: str) -> None:
        if difference:
            self.different.setdefault(row, difference)
        else:
            self.equal[row] += 1


class _Copies:
    """Copies of arguments on the CPU that share storages as the arguments do."""

    def __init__(self) -> None:
        self._storages: dict[int, torch.UntypedStorage] = {}
        self._tensors: dict[int, torch.Tensor] = {}

    def of(self, value: object) -> object:
        if isinstance(value, torch.device):
            return torch.device("cpu")
        if isinstance(value, torch.UntypedStorage):
            return value.cpu()
        if not isinstance(value, torch.Tensor) or value.device.type in ("cpu", "meta"):
            return value.clone() if isinstance(value, torch.Tensor) and value.layout == torch.strided else value
        if id(value) not in self._tensors:
            self._tensors[id(value)] = self._copy(value)
        return self._tensors[id(value)]

    def _copy(self, value: torch.Tensor) -> torch.Tensor:
        if value.is_quantized:
            return _quantized_on_host(value)
        if value.layout != torch.strided or value._is_zerotensor():
            return value.cpu()
        storage = value.untyped_storage()
        if storage._cdata not in self._storages:
            self._storages[storage._cdata] = storage.cpu()
        made = torch.empty(0, dtype=value.dtype)
        made.set_(self._storages[storage._cdata], value.storage_offset(), value.shape, value.stride())
        made = torch._neg_view(made) if value.is_neg() else made
        return torch._conj(made) if value.is_conj() else made


def _quantized_on_host(value: torch.Tensor) -> torch.Tensor:
    whole = value.int_repr().cpu()
    if value.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        return torch._make_per_tensor_quantized_tensor(whole, value.q_scale(), value.q_zero_point())
    scales, points = value.q_per_channel_scales().cpu(), value.q_per_channel_zero_points().cpu()
    return torch._make_per_channel_quantized_tensor(whole, scales, points, value.q_per_channel_axis())


class Compare(TorchDispatchMode):
    """Makes each call on the card and on the CPU."""

    def __init__(self, verdicts: Verdicts, wanted: frozenset[Row]) -> None:
        super().__init__()
        self.verdicts = verdicts
        self.wanted = wanted

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> object:  # noqa: ANN401
        kwargs = kwargs or {}
        if row_of(func) not in self.wanted or func.namespace != "aten":
            return func(*args, **kwargs)
        self._variants(func, args, kwargs)
        copies = _Copies()
        return self._both(func, (args, kwargs), tree_map(copies.of, (args, kwargs)))

    def _both(self, func: Any, given: tuple[tuple, dict], host: tuple[tuple, dict]) -> object:  # noqa: ANN401
        state = torch.get_rng_state()
        mine = func(*given[0], **given[1])
        after = torch.get_rng_state()
        torch.set_rng_state(state)
        row = row_of(func)
        try:
            other = _on_host(func, *host)
        except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError) as error:
            self.verdicts.reasons[row].add(f"the CPU refuses it: {str(error).splitlines()[0][:80]}")
            return mine
        finally:
            torch.set_rng_state(after)
        if UNDEFINED.match(func._schema.name):
            mine_shape, other_shape = (tree_map(_shape, value) for value in (mine, other))
            self.verdicts.note(row, "" if mine_shape == other_shape else f"{mine_shape} and {other_shape}")
        else:
            written = differ(_tensors(given), _tensors(host))
            self.verdicts.note(row, differ(_defined(func, mine), _defined(func, other)) or written)
        return mine

    def _variants(self, func: Any, args: tuple, kwargs: dict) -> None:  # noqa: ANN401
        """The same call in place, and into given tensors, if the vendor has such overloads and no sample came by."""
        schema = func._schema
        if schema.is_mutable:
            return
        for name in _variant_names(row_of(func)):
            if name not in self.wanted or self.verdicts.equal[name] >= 3:
                continue
            op = _find(name)
            # Some operators write arguments that their schema does not name: each variant gets its own.
            mine_args, mine_kwargs = tree_map(lambda v: v.clone() if _is_plain(v) else v, (args, kwargs))
            copies = _Copies()
            host_args, host_kwargs = tree_map(copies.of, (mine_args, mine_kwargs))
            try:
                if op._schema.name.endswith("_"):
                    self._in_place(op, mine_args, mine_kwargs, host_args, host_kwargs)
                else:
                    self._into(op, func, mine_args, mine_kwargs, host_args, host_kwargs)
            except Exception as error:  # a variant may not fit these arguments
                self.verdicts.reasons[name].add(f"{type(error).__name__}: {str(error).splitlines()[0][:80]}")

    def _in_place(self, op: Any, args: tuple, kwargs: dict, host_args: tuple, host_kwargs: dict) -> None:  # noqa: ANN401
        state = torch.get_rng_state()
        other = _on_host(op, host_args, host_kwargs)
        torch.set_rng_state(state)
        mine = op(*args, **kwargs)
        self.verdicts.note(row_of(op), differ(args, host_args) or differ(mine, other))

    def _into(self, op: Any, func: Any, args: tuple, kwargs: dict, host_args: tuple, host_kwargs: dict) -> None:  # noqa: ANN401
        state = torch.get_rng_state()
        results, _ = tree_flatten(func(*args, **kwargs))
        outs = [argument.name for argument in op._schema.arguments if argument.is_out]
        names = {argument.name for argument in op._schema.arguments}
        results = results[: len(outs)]
        kwargs, host_kwargs = ({k: v for k, v in given.items() if k in names} for given in (kwargs, host_kwargs))
        for sizes in ([r.shape for r in results], [(0,)] * len(results)):
            torch.set_rng_state(state)
            mine = {
                n: torch.empty(s, dtype=r.dtype, device=r.device) for n, r, s in zip(outs, results, sizes, strict=True)
            }
            op(*args, **kwargs, **mine)
            torch.set_rng_state(state)
            other = {n: torch.empty(s, dtype=r.dtype) for n, r, s in zip(outs, results, sizes, strict=True)}
            _on_host(op, host_args, {**host_kwargs, **other})
            undefined = UNDEFINED.match(op._schema.name)
            same = tree_map(_shape, mine) == tree_map(_shape, other)
            self.verdicts.note(row_of(op), ("" if same else "shapes") if undefined else differ(mine, other))
        torch.set_rng_state(state)


def _variant_names(row: Row) -> Iterator[Row]:
    base, _, overload = row.partition(".")
    yield f"{base}_.{overload}" if overload else f"{base}_"
    packet = getattr(torch.ops.aten, base)
    plain = _find(row)._schema
    inputs = [
        (a.name, str(a.type)) for a in plain.arguments if a.name not in ("dtype", "layout", "device", "pin_memory")
    ]
    for name in packet.overloads():
        schema = getattr(packet, name)._schema
        given = [(a.name, str(a.type)) for a in schema.arguments if not a.is_out]
        if len(given) < len(schema.arguments) and [g for g in given if g[0] != "dtype"] == inputs:
            yield f"{base}.{name}"


def _on_host(func: Any, args: tuple, kwargs: dict) -> object:  # noqa: ANN401
    if func._schema.name == "aten::_copy_from":
        return args[1].copy_(args[0])
    if func._schema.name == "aten::record_stream":
        return None
    plain = PLAIN.get(func._schema.name)
    if plain is None:
        return func(*args, **kwargs)
    op = _find(plain.removeprefix("aten::"))
    if plain.endswith("backward"):
        grad, x, weight, *rest = args
        bias = [grad.shape[1]] if rest[-1][2] else None
        return op(grad, x, weight, bias, *rest, **kwargs)
    return op(*args, **kwargs)


def _defined(func: Any, results: object) -> object:  # noqa: ANN401
    """Without results that are scratch for the backward pass and never written in whole."""
    return results[0] if func._schema.name == "aten::_ctc_loss" else results


def _tensors(value: object) -> list[torch.Tensor]:
    return [leaf for leaf in tree_flatten(value)[0] if _is_plain(leaf)]


def _is_plain(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided and not value.is_quantized


def _shape(value: object) -> object:
    return (tuple(value.shape), value.dtype) if isinstance(value, torch.Tensor) else value


# --- torch's samples -------------------------------------------------------------------------------


def operator_infos() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_methods_invocations as all_infos

    names = ["op_db", *(name for name in dir(all_infos) if name.startswith("foreach_") and name.endswith("_db"))]
    lists = [getattr(all_infos, name) for name in names]
    infos: dict[str, Any] = {}
    for one in lists:
        for info in one if isinstance(one, list) else ():
            if hasattr(info, "variant_test_name"):
                infos.setdefault(f"{info.name} {info.variant_test_name}", info)
    return list(infos.values())


def dtypes_of(info: Any) -> list[torch.dtype]:  # noqa: ANN401
    supported = info.supported_dtypes("cpu")
    return [dtype for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64) if dtype in supported]


def run_calls(device: str, mode: Compare) -> None:
    """The calls of sim_calls. Operators that are made of others never reach the mode: they are compared as a whole."""
    names, host_names = sim_calls.values(device), sim_calls.values("cpu")
    sim_calls.make_special(names, device)
    for expression in sim_calls.expressions():
        row = expression.split("(")[0].removeprefix("A.")
        try:
            with mode:
                eval(expression, names)  # expressions of our own
            if row in mode.wanted and row not in mode.verdicts.equal and row not in mode.verdicts.different:
                mine, other = (eval(expression, which) for which in (names, host_names))
                mode.verdicts.note(row, differ(mine, other))
        except Exception as error:  # the overload then counts as not compared, with this reason
            mode.verdicts.reasons[row].add(f"{type(error).__name__}: {str(error).splitlines()[0][:120]}")


@dataclass
class Outcome:
    """What became of one entry of torch's list: equal, different, or why it could not be compared."""

    forward: Counter[str] = field(default_factory=Counter)
    gradient: Counter[str] = field(default_factory=Counter)
    first: str = ""


def run_info(info: Any, device: str, most: int, types: int = 1, mode: Compare | None = None) -> Outcome:  # noqa: ANN401
    """Forward and backward of each sample on the card and on the CPU, compared as a whole; of the first types of values
    that the operator takes, `most` samples each."""
    outcome = Outcome()
    for dtype in dtypes_of(info)[:types]:
        for index, sample in enumerate(_samples(info, dtype)):
            if index == most:
                break
            _run_sample(info, sample, device, outcome, mode)
    return outcome


def _samples(info: Any, dtype: torch.dtype) -> Iterable[Any]:  # noqa: ANN401
    torch.manual_seed(0)
    differentiable = dtype.is_floating_point and info.supports_autograd
    try:
        return list(info.sample_inputs("cpu", dtype, requires_grad=differentiable))
    except (RuntimeError, NotImplementedError, unittest.SkipTest):
        return []


def _run_sample(info: Any, sample: Any, device: str, outcome: Outcome, mode: Compare | None) -> None:  # noqa: ANN401
    try:
        expected, gradients = _forward_backward(info, sample, "cpu", None)
    except Exception:  # what the CPU refuses is nothing to compare
        outcome.forward["refused by the CPU"] += 1
        return
    try:
        mine, my_gradients = _forward_backward(info, sample, device, mode)
    except NotImplementedError as error:
        missing = re.search(r"aten::[\w.]+", str(error))
        outcome.forward["missing " + (missing.group() if missing else "?")] += 1
        outcome.first = outcome.first or str(error).splitlines()[0][:200]
        return
    except Exception as error:
        outcome.forward["error"] += 1
        outcome.first = outcome.first or f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
        return
    if UNDEFINED.match("aten::" + info.name):
        mine, expected = (tree_map(_shape, value) for value in (mine, expected))
    for counter, a, b in ((outcome.forward, mine, expected), (outcome.gradient, my_gradients, gradients)):
        if b is None:
            continue
        difference = differ(a, b)
        counter["different" if difference else "equal"] += 1
        outcome.first = outcome.first or difference


def _forward_backward(info: Any, sample: Any, device: str, mode: Compare | None) -> tuple[object, object]:  # noqa: ANN401
    def move(value: object) -> object:
        if isinstance(value, torch.Tensor):
            return value.detach().clone().to(device).requires_grad_(value.requires_grad)
        if isinstance(value, torch.device) or value == "cpu":
            return torch.device(device)
        return value

    given = tree_map(move, (sample.input, sample.args, sample.kwargs))
    torch.manual_seed(1)
    if mode is None:
        return _call(info, sample, *given)
    with mode:
        return _call(info, sample, *given)


def _call(info: Any, sample: Any, first: Any, args: tuple, kwargs: dict) -> tuple[object, object]:  # noqa: ANN401
    out = sample.output_process_fn_grad(info.op(first, *args, **kwargs))
    leaves = [t for t in _tensors((first, args, kwargs)) if t.requires_grad]
    roots = [t for t in _tensors(out) if t.requires_grad]
    result = tree_map(lambda v: v.detach() if isinstance(v, torch.Tensor) else v, out)
    if not leaves or not roots:
        return result, None
    seeds = [torch.ones_like(root) for root in roots]
    return result, torch.autograd.grad(roots, leaves, seeds, allow_unused=True)
