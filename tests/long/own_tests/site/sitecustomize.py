"""Lets repositories of the time before Python 3.11 and NumPy 2 be imported: dataclasses took any default that is no list,
dict or set, and NumPy had further names for its types."""

import dataclasses
import importlib.util
import inspect
import sys

import numpy

source = inspect.getsource(dataclasses._get_field)
unhashable = "f.default.__class__.__hash__ is None"
if unhashable in source:
    exec(source.replace(unhashable, "isinstance(f.default, (list, dict, set))"), dataclasses.__dict__)
for name, kind in {"float": float, "int": int, "bool": bool, "object": object, "float_": numpy.float64}.items():
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)


class Operators:
    """torchvision's compiled part may not load beside a torch for the CPU: two operators must be known by name."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            if importlib.util.find_spec(name) is not None:
                self.library = torch.library.Library("torchvision", "DEF")
                for operator in ("nms", "qnms"):
                    self.library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return


OPERATORS = Operators()  # kept, for what it defines ends with it
sys.meta_path.insert(0, OPERATORS)
