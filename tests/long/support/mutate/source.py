"""What the mutators share: a tree that may be changed, and where in it the helper is used."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass

HELPERS = ("accelerator", "accelport_device")
CALLABLES = ("synchronize", "empty_cache", "is_available", "device_count", "current_device", "set_accelerator_device")
LITERALS = ("accelerator_type", "distributed_backend", "visible_devices_variable")
DTYPES = ("float16", "float32", "float64", "bfloat16", "half", "long", "int64", "int32", "uint8", "bool")


@dataclass
class Source:
    """A tree that may be changed, and where in it the helper is used."""

    tree: ast.Module
    rng: random.Random

    def __post_init__(self) -> None:
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def nodes(self, *types: type) -> list[ast.AST]:
        """Nodes of these types in random order; those near a use of the helper first, three times in four."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, types)]
        self.rng.shuffle(found)
        if self.rng.random() < 0.75:
            found.sort(key=lambda node: not self.is_near(node))
        return found

    def is_near(self, node: ast.AST) -> bool:
        return uses_helper(self.statement(node))

    def statement(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.stmt) and node in self.parents:
            node = self.parents[node]
        return node

    def replace(self, old: ast.AST, new: ast.AST) -> None:
        for field, value in ast.iter_fields(self.parents[old]):
            if value is old:
                setattr(self.parents[old], field, new)
            elif isinstance(value, list) and any(item is old for item in value):
                value[[item is old for item in value].index(True)] = new

    def blocks(self) -> list[list[ast.stmt]]:
        found = [
            value
            for node in ast.walk(self.tree)
            for _, value in ast.iter_fields(node)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt)
        ]
        self.rng.shuffle(found)
        if self.rng.random() < 0.75:
            found.sort(key=lambda block: not any(self.is_near(s) for s in block if not hasattr(s, "body")))
        return found


def uses_helper(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Name) and n.id in HELPERS for n in ast.walk(node))


def helper_call(node: ast.AST, names: tuple[str, ...] = ()) -> str:
    """The helper's function that the call names, if it is one."""
    func = getattr(node, "func", None)
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in HELPERS:
        return func.attr if not names or func.attr in names else ""
    return ""


def helper_name(source: Source) -> str | None:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for item in node.names:
                if item.name.rpartition(".")[2] in HELPERS:
                    return item.name.rpartition(".")[2]
    return None


def helper_import(source: Source) -> ast.Import | ast.ImportFrom | None:
    for node in source.nodes(ast.Import, ast.ImportFrom):
        if any(item.name.rpartition(".")[2] in HELPERS for item in node.names):
            return node
    return None
