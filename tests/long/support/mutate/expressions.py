"""Wrong edits of branches, operators and constants."""

from __future__ import annotations

import ast
import copy

from support.mutate.source import DTYPES, HELPERS, Source, helper_call


def swapped_branches(source: Source) -> str | None:
    for node in source.nodes(ast.If, ast.IfExp):
        if node.orelse:
            node.body, node.orelse = node.orelse, node.body
            return "swapped"
    return None


def negated_condition(source: Source) -> str | None:
    for node in source.nodes(ast.If, ast.IfExp, ast.While, ast.Assert):
        plain = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        node.test = node.test.operand if plain else ast.UnaryOp(ast.Not(), node.test)
        return "negated"
    return None


def changed_comparison(source: Source) -> str | None:
    pairs = {
        ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.Eq, ast.IsNot: ast.NotEq, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
        ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In,
    }  # fmt: skip
    for node in source.nodes(ast.Compare):
        node.ops[0] = pairs[type(node.ops[0])]()
        return "changed"
    return None


def identity_for_equality(source: Source) -> str | None:
    for node in source.nodes(ast.Compare):
        if isinstance(node.ops[0], ast.Eq):
            node.ops[0] = ast.Is()
            return "is"
    return None


def changed_bool_operator(source: Source) -> str | None:
    for node in source.nodes(ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return "changed"
    return None


def changed_operator(source: Source) -> str | None:
    for node in source.nodes(ast.BinOp, ast.AugAssign):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return "changed"
    return None


def changed_number(source: Source) -> str | None:
    for node in source.nodes(ast.Constant):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            node.value += 1
            return "changed"
    return None


def changed_bool(source: Source) -> str | None:
    for node in source.nodes(ast.Constant):
        if isinstance(node.value, bool):
            node.value = not node.value
            return "changed"
    return None


def changed_string(source: Source) -> str | None:
    for node in source.nodes(ast.Constant):
        if isinstance(node.value, str) and node.value:
            at = source.rng.randrange(len(node.value))
            node.value = node.value[:at] + "x" + node.value[at:]
            return "changed"
    return None


def string_to_bytes(source: Source) -> str | None:
    for node in source.nodes(ast.Constant):
        if isinstance(node.value, str) and node.value.isascii() and not isinstance(source.parents[node], ast.JoinedStr):
            node.value = node.value.encode()
            return "bytes"
    return None


def changed_format(source: Source) -> str | None:
    for node in source.nodes(ast.FormattedValue):
        node.conversion = ord("r") if node.conversion == -1 else -1
        return "conversion"
    return None


def dropped_part(source: Source) -> str | None:
    for node in source.nodes(ast.JoinedStr):
        if len(node.values) > 1:
            node.values.pop(source.rng.randrange(len(node.values)))
            return "dropped"
    return None


def changed_dtype(source: Source) -> str | None:
    for node in source.nodes(ast.Attribute):
        if node.attr in DTYPES:
            node.attr = source.rng.choice([d for d in DTYPES if d != node.attr])
            return "changed"
    return None


def renamed_name(source: Source) -> str | None:
    for node in source.nodes(ast.Name):
        if node.id not in HELPERS:
            node.id += "_"
            return "renamed"
    return None


def renamed_attribute(source: Source) -> str | None:
    for node in source.nodes(ast.Attribute):
        node.attr += "_"
        return "renamed"
    return None


def lost_attribute(source: Source) -> str | None:
    for node in source.nodes(ast.Attribute):
        source.replace(node, node.value)
        return "lost"
    return None


def changed_slice(source: Source) -> str | None:
    for node in source.nodes(ast.Subscript):
        if isinstance(node.ctx, ast.Load):
            node.slice = ast.BinOp(node.slice, ast.Add(), ast.Constant(1))
            return "changed"
    return None


def changed_collection(source: Source) -> str | None:
    for node in source.nodes(ast.Tuple, ast.List, ast.Set):
        if len(node.elts) > 1 and ast.dump(node.elts[0]) != ast.dump(node.elts[1]):
            node.elts[0], node.elts[1] = node.elts[1], node.elts[0]
            return "swapped"
    return None


def changed_dict(source: Source) -> str | None:
    for node in source.nodes(ast.Dict):
        if len(node.values) > 1:
            node.values[0], node.values[1] = node.values[1], node.values[0]
            return "swapped"
    return None


def lambda_around(source: Source) -> str | None:
    """A value becomes a function that gives it."""
    for node in source.nodes(ast.Call):
        if helper_call(node):
            arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
            source.replace(node, ast.Lambda(arguments, copy.deepcopy(node)))
            return "lambda"
    return None


def lost_condition_of_comprehension(source: Source) -> str | None:
    for node in source.nodes(ast.comprehension):
        if node.ifs:
            node.ifs.clear()
            return "lost"
    return None
