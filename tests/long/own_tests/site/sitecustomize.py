"""Lets repositories of the time before Python 3.11 and NumPy 2 be imported: dataclasses took any default that is no list,
dict or set, and NumPy had further names for its types."""

import dataclasses
import inspect

import numpy

source = inspect.getsource(dataclasses._get_field)
unhashable = "f.default.__class__.__hash__ is None"
if unhashable in source:
    exec(source.replace(unhashable, "isinstance(f.default, (list, dict, set))"), dataclasses.__dict__)
for name, kind in {"float": float, "int": int, "bool": bool, "object": object, "float_": numpy.float64}.items():
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)
