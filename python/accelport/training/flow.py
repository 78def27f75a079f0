"""From which operator a value that is not finite comes: what flows from tensor to tensor, by the memory they lie in."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from .names import storage

Kinds = tuple[bool, bool]  # NaN, infinity


@dataclass
class Flow:
    """Numbers stand for producers, in the order in which they ran.

    Infinities that the program itself puts in (masks) are `meant`; memory that nobody has written yet is `raw`.
    """

    tainted: dict[int, frozenset[int]] = field(default_factory=dict)
    meant: set[int] = field(default_factory=set)
    raw: set[int] = field(default_factory=set)

    def sources(self, tensors: list[Tensor]) -> frozenset[int]:
        return frozenset().union(*(self.tainted.get(storage(tensor), frozenset()) for tensor in tensors))

    def unknown(self, tensors: list[Tensor]) -> list[Tensor]:
        """Those that nothing of this run has made so."""
        known = self.tainted.keys() | self.meant | self.raw
        return [tensor for tensor in tensors if storage(tensor) not in known]

    def taint(self, tensors: list[Tensor], by: frozenset[int]) -> None:
        for tensor in tensors:
            place = storage(tensor)
            self.tainted[place] = self.tainted.get(place, frozenset()) | by

    def mean(self, tensors: list[Tensor]) -> None:
        self.meant.update(map(storage, tensors))

    def never_written(self, tensors: list[Tensor]) -> None:
        self.raw.update(map(storage, tensors))

    def clear(self, fresh: list[Tensor], given: list[Tensor]) -> None:
        """New and finite results: what lay in their memory before is over."""
        kept = set(map(storage, given))
        for place in set(map(storage, fresh)) - kept:
            self.tainted.pop(place, None)
            self.meant.discard(place)
            self.raw.discard(place)
