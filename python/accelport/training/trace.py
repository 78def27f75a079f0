"""The second run of a step, operator by operator: which one makes the first value that is not finite."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .data import thresholds
from .finite import described, first_bad, kinds
from .flow import Flow, Kinds
from .names import ModuleStack, Names, attention_state, autocast_state, storage

Record = dict[str, Any]


def tensors_in(values: object) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor)]


def has_infinite_number(values: object) -> bool:
    return any(isinstance(leaf, float) and not math.isfinite(leaf) for leaf in tree_leaves(values))


class Call:
    """One call of an operator: what it reads, what it writes."""

    def __init__(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:  # noqa: ANN401 - an operator
        self.func, self.args, self.kwargs = func, args, kwargs
        self.name = func._schema.name
        given = zip(func._schema.arguments, args)
        named = ((a, kwargs[a.name]) for a in func._schema.arguments if a.name in kwargs)
        pairs = [*given, *named]
        self.written = tensors_in([v for a, v in pairs if a.alias_info is not None and a.alias_info.is_write])
        overwrites = self.name in thresholds()["overwrites"] or func._overloadname.endswith("out")
        unread = set(map(id, self.written)) if overwrites else set()
        self.read = [t for t in tensors_in([v for _, v in pairs]) if id(t) not in unread]

    def results(self, returned: object) -> list[Tensor]:
        seen: dict[int, Tensor] = {id(t): t for t in self.written}
        seen.update({id(t): t for t in tensors_in(returned)})
        return list(seen.values())


class Trace(TorchDispatchMode):
    """Watches all operators of a step, of the forward, the backward and the optimizer. `phase` says what runs outside
    of the backward; who runs the step sets it. `producers` are those whose inputs are all finite and whose result is
    not; `arrivals` are tensors that were not finite when they were first read."""

    def __init__(self, model: nn.Module, names: Names, modules: ModuleStack) -> None:
        super().__init__()
        self._model, self._names, self._modules = model, names, modules
        self.phase = "forward"
        self.in_backward = False
        self.after_backward = False
        self.operators = 0
        self.producers: list[Record] = []
        self.arrivals: list[Record] = []
        self.propagators: list[Record] = []
        self.propagated = 0
        self._flow = Flow()
        self._places: dict[int, str] = {}
        self._forward: dict[int, Record] = {}  # of what a node of the graph is the backward

    # --- what torch calls -----------------------------------------------------------------------

    def __torch_dispatch__(
        self,
        func: Any,  # noqa: ANN401 - an operator
        types: Any,  # noqa: ANN401 - not used
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the operator gives
        kwargs = kwargs or {}
        call = Call(func, args, kwargs)
        self.operators += 1
        place = self._place(call)
        # What is written is looked at before the call: afterwards the old values are gone.
        bad = [(t, kinds(t)) for t in call.read]
        read = [(t, kind) for t, kind in bad if any(kind)]
        before = [described(t) for t in call.read]
        returned = func(*args, **kwargs)
        self._judge(call, read, before, returned, place)
        return returned

    # --- judging one call -----------------------------------------------------------------------

    def _judge(
        self, call: Call, read: list[tuple[Tensor, Kinds]], before: list[Record], returned: object, place: Record
    ) -> None:
        results = call.results(returned)
        made = [(t, kind) for t in results for kind in [kinds(t)] if any(kind)]
        self._flow.clear([t for t in results if not any(t is bad for bad, _ in made)], [*call.read, *call.written])
        if made:
            self._judge_bad(call, read, before, made, place)

    def _judge_bad(
        self,
        call: Call,
        read: list[tuple[Tensor, Kinds]],
        before: list[Record],
        made: list[tuple[Tensor, Kinds]],
        place: Record,
    ) -> None:
        given = [t for t, _ in read]
        out = [t for t, _ in made]
        if call.name in thresholds()["uninitialised"]:
            self._flow.never_written(out)
            return
        self._note_arrivals(call, read, place)
        sources = self._flow.sources(given)
        if sources:
            self._flow.taint(out, sources)
            self._propagated(call, place)
            return
        nan_made, nan_read = any(nan for _, (nan, _) in made), any(nan for _, (nan, _) in read)
        if given and (not nan_made or nan_read):
            raw = all(storage(t) in self._flow.raw for t in given)
            (self._flow.never_written if raw else self._flow.mean)(out)
        elif not given and not nan_made and has_infinite_number((call.args, call.kwargs)):
            self._flow.mean(out)
        else:
            self._produced(call, made, before, place, given)

    def _note_arrivals(self, call: Call, read: list[tuple[Tensor, Kinds]], place: Record) -> None:
        strangers = self._flow.unknown([t for t, _ in read])
        for tensor in strangers:
            nan, _ = kinds(tensor)
            if not nan:  # as masks hold them
                self._flow.mean([tensor])
                continue
            name = self._name_of(tensor)
            self.arrivals.append({"tensor": name, "read_by": call.name, **place, **first_bad(tensor)})
            self.producers.append({"arrival": name, **self.arrivals[-1]})
            self._flow.taint([tensor], frozenset([len(self.producers) - 1]))

    def _propagated(self, call: Call, place: Record) -> None:
        self.propagated += 1
        if len(self.propagators) < thresholds()["named_operators"]:
            self.propagators.append({"operator": call.name, "phase": place["phase"], "module": place["module"]})

    def _produced(
        self, call: Call, made: list[tuple[Tensor, Kinds]], before: list[Record], place: Record, given: list[Tensor]
    ) -> None:
        bad = made[0][0]
        record = {
            "operator": call.name,
            "overload": call.func._overloadname,
            **place,
            "parameter": self._parameter(call, bad),
            **first_bad(bad),
            **described(bad),
            "written_in_place": any(bad is t for t in call.written),
            "inputs": before[: thresholds()["named_operators"]],
            "infinities_read": bool(given),
            "attention": attention_state(self._model),
        }
        if not record["module"] and record["parameter"]:
            record["module"] = self._names.module_of(record["parameter"])
        self.producers.append(record)
        self._flow.taint([t for t, _ in made], frozenset([len(self.producers) - 1]))

    # --- where a call stands --------------------------------------------------------------------

    def _place(self, call: Call) -> Record:
        node = torch._C._current_autograd_node()
        path, kind = self._modules.now
        device = next((t.device.type for t in call.read + call.written), "cpu")
        autocast = autocast_state(device)
        if not autocast["enabled"]:
            autocast = self._modules.autocast or autocast
        place = {"phase": self._phase(node), "module": path, "module_type": kind, "autocast": autocast}
        if node is None:
            # The node of a differentiable operator is made before its kernel runs; the first to see its number is it.
            number = torch.autograd._get_sequence_nr() - 1
            self._forward.setdefault(number, {**place, "operator": call.name})
            return place
        forward = self._forward.get(node._sequence_nr())
        place["node"] = node.name()
        if forward is not None and not path:
            place.update({key: forward[key] for key in ("module", "module_type", "autocast")})
            place["forward_operator"] = forward["operator"]
        return place

    def _phase(self, node: object) -> str:
        if self.in_backward or node is not None:
            return "backward"
        if self.phase == "forward" and self.after_backward and not self._modules.now[0] and not torch.is_grad_enabled():
            return "clip"
        return self.phase

    def _name_of(self, tensor: Tensor) -> str:
        self._places = self._names.by_storage()
        return self._places.get(storage(tensor), "batch or unknown")

    def _parameter(self, call: Call, bad: Tensor) -> str | None:
        """The bad one itself if it is a parameter or its gradient, otherwise the first that the call reads."""
        self._places = self._names.by_storage()
        places = [storage(bad), *map(storage, call.read)]
        return next((self._places[place] for place in places if place in self._places), None)

    # --- the answer -----------------------------------------------------------------------------

    def producer_of(self, targets: Iterable[Tensor]) -> Record | None:
        """The first producer whose value reached one of these; without any, the first that there was."""
        reached = self._flow.sources([t for t in targets if any(kinds(t))])
        return self.producers[min(reached)] if reached else None

    def watched(self, run: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever it gives
        with self._modules, self:
            return run()
