"""Wrong edits of the moment at which something is evaluated."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from support.mutate.source import Source, helper_call, uses_helper


def functions_with_defaults(source: Source) -> Iterator[tuple[ast.FunctionDef, list[ast.expr], int, ast.arg]]:
    for node in source.nodes(ast.FunctionDef):
        arguments = node.args.posonlyargs + node.args.args
        offset = len(arguments) - len(node.args.defaults)
        order = list(range(len(node.args.defaults)))
        for i in sorted(order, key=lambda i, d=node.args.defaults: not uses_helper(d[i])):
            yield node, node.args.defaults, i, arguments[offset + i]


def default_in_the_body(source: Source) -> str | None:
    for node, defaults, i, argument in functions_with_defaults(source):
        if isinstance(defaults[i], ast.Constant) and defaults[i].value is None:
            continue
        late = ast.parse(f"if {argument.arg} is None:\n    {argument.arg} = 0").body[0]
        late.body[0].value = defaults[i]
        defaults[i] = ast.Constant(None)
        node.body.insert(1 if ast.get_docstring(node) is not None and len(node.body) > 1 else 0, late)
        return "in the body"
    return None


def changed_default(source: Source) -> str | None:
    for _, defaults, i, _argument in functions_with_defaults(source):
        defaults[i] = ast.Constant("cpu") if ast.dump(defaults[i]) != "Constant(value='cpu')" else ast.Constant("gpu")
        return "changed"
    return None


def attribute_into_method(source: Source) -> str | None:
    for node in source.nodes(ast.ClassDef):
        methods = [s for s in node.body if isinstance(s, ast.FunctionDef)]
        attributes = [s for s in node.body if isinstance(s, ast.Assign)]
        if methods and attributes:
            node.body.remove(attributes[0])
            methods[0].body.insert(0, attributes[0])
            return "moved"
    return None


def global_into_function(source: Source) -> str | None:
    functions = [s for s in source.tree.body if isinstance(s, ast.FunctionDef)]
    values = [s for s in source.tree.body if isinstance(s, ast.Assign)]
    if not functions or not values:
        return None
    value = source.rng.choice(values)
    source.tree.body.remove(value)
    source.rng.choice(functions).body.insert(0, value)
    return "moved"


def helper_calls_in_functions(source: Source) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    for node in source.nodes(ast.FunctionDef):
        for statement in node.body:
            for call in ast.walk(statement):
                if isinstance(call, ast.Call) and helper_call(call) and not call.args and not call.keywords:
                    yield node, call


def asked_at_import(source: Source) -> str | None:
    """What a function asks the helper on every call is asked once, when the module is loaded."""
    for node, call in helper_calls_in_functions(source):
        if node not in source.tree.body:
            continue
        early = ast.Assign([ast.Name("asked_early", ast.Store())], copy.deepcopy(call))
        source.tree.body.insert(source.tree.body.index(node), early)
        source.replace(call, ast.Name("asked_early", ast.Load()))
        return "at import"
    return None


def asked_as_default(source: Source) -> str | None:
    """What a function asks the helper on every call is asked once, as the default of a new parameter."""
    for node, call in helper_calls_in_functions(source):
        if node.args.vararg or node.args.kwonlyargs:
            continue
        node.args.kwonlyargs.append(ast.arg("asked_early"))
        node.args.kw_defaults.append(copy.deepcopy(call))
        source.replace(call, ast.Name("asked_early", ast.Load()))
        return "as a default"
    return None
