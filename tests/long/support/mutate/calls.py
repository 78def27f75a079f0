"""Wrong edits of arguments and calls."""

from __future__ import annotations

import ast
import copy

from support.mutate.source import CALLABLES, HELPERS, LITERALS, Source, helper_call


def dropped_argument(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        lists = [items for items in (node.args, node.keywords) if items]
        if lists:
            items = source.rng.choice(lists)
            items.pop(source.rng.randrange(len(items)))
            return "dropped"
    return None


def swapped_arguments(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if len(node.args) > 1:
            node.args[0], node.args[1] = node.args[1], node.args[0]
            return "swapped"
    return None


def added_keyword(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if not any(k.arg in {"non_blocking", None} for k in node.keywords):
            node.keywords.append(ast.keyword("non_blocking", ast.Constant(True)))
            return "added"
    return None


def renamed_keyword(source: Source) -> str | None:
    for node in source.nodes(ast.keyword):
        if node.arg:
            node.arg += "_"
            return "renamed"
    return None


def lost_index(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if helper_call(node, ("accelerator_device", "set_accelerator_device", "synchronize")) and node.args:
            node.args.clear()
            return "lost"
    return None


def other_index(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if helper_call(node, ("accelerator_device", "set_accelerator_device")):
            node.args[:] = [ast.BinOp(node.args[0], ast.Add(), ast.Constant(1)) if node.args else ast.Constant(0)]
            return "other"
    return None


def wrong_helper(source: Source) -> str | None:
    for node in source.nodes(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in HELPERS:
            others = [n for group in (CALLABLES, LITERALS) if node.attr in group for n in group if n != node.attr]
            node.attr = source.rng.choice(others or ["accelerator_type"])
            return "wrong"
    return None


def helper_not_called(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if helper_call(node):
            source.replace(node, node.func)
            return "not called"
    return None


def helper_called_twice(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if helper_call(node):
            source.replace(node, ast.Call(copy.deepcopy(node), [], []))
            return "called twice"
    return None


def unwrapped_call(source: Source) -> str | None:
    for node in source.nodes(ast.Call):
        if node.args and not isinstance(node.args[0], ast.Starred):
            source.replace(node, node.args[0])
            return "unwrapped"
    return None


def device_by_type(source: Source) -> str | None:
    """`.to(H.accelerator_device(…))` becomes `.to(H.accelerator_type())`."""
    for node in source.nodes(ast.Call):
        if helper_call(node, ("accelerator_device",)):
            node.func.attr = "accelerator_type"
            node.args.clear()
            return "type"
    return None
