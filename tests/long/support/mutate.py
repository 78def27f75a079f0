"""Wrong edits of a ported Python file, made over Python's own `ast` and `tokenize`: nothing here knows how the program
reads a text. Each mutator changes one place of a tree, chosen by the generator that it is given, and says what it did; or
finds nothing to change and gives None."""

from __future__ import annotations

import ast
import copy
import io
import random
import textwrap
import tokenize
import warnings
from collections.abc import Callable, Iterator
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


# Arguments and calls.


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


# Branches, operators, constants.


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


# Statements.


def deletable(block: list[ast.stmt], at: int) -> bool:
    """Imports have mutators of their own: some may go without any effect."""
    return not isinstance(block[at], ast.Import | ast.ImportFrom | ast.Pass)


def deleted_statement(source: Source) -> str | None:
    for block in source.blocks():
        places = [i for i in range(len(block)) if deletable(block, i)]
        if len(block) > 1 and places:
            block.pop(source.rng.choice(places))
            return "deleted"
    return None


def repeated_statement(source: Source) -> str | None:
    for block in source.blocks():
        places = [i for i in range(len(block)) if isinstance(block[i], ast.Expr | ast.AugAssign)]
        if places:
            at = source.rng.choice(places)
            block.insert(at, copy.deepcopy(block[at]))
            return "repeated"
    return None


def added_statement(source: Source) -> str | None:
    name = helper_name(source)
    texts = ["torch.manual_seed(0)", "torch.cuda.synchronize()", "import gc", "return None"]
    if name:
        texts.append(f"{name}.synchronize()")
    for block in source.blocks():
        block.insert(source.rng.randrange(1, len(block) + 1), ast.parse(source.rng.choice(texts)).body[0])
        return "added"
    return None


def reordered_statements(source: Source) -> str | None:
    plain = (ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.For, ast.With, ast.Return, ast.FunctionDef)
    for block in source.blocks():
        places = [
            i
            for i in range(len(block) - 1)
            if isinstance(block[i], plain)
            and isinstance(block[i + 1], plain)
            and ast.dump(block[i]) != ast.dump(block[i + 1])
        ]
        if places:
            at = source.rng.choice(places)
            block[at], block[at + 1] = block[at + 1], block[at]
            return "reordered"
    return None


def moved_out(source: Source) -> str | None:
    """The last statement of a block moves behind it."""
    for block in source.blocks():
        for at, statement in enumerate(block):
            inner = getattr(statement, "body", None)
            kinds = ast.If | ast.For | ast.While | ast.With
            if isinstance(statement, kinds) and len(inner) > 1 and not getattr(statement, "orelse", None):
                block.insert(at + 1, inner.pop())
                return "moved out"
    return None


def moved_in(source: Source) -> str | None:
    """The statement behind a block moves into it."""
    for block in source.blocks():
        for at, statement in enumerate(block[:-1]):
            if isinstance(statement, ast.If | ast.For | ast.With | ast.FunctionDef):
                target = getattr(statement, "orelse", None) or statement.body
                target.append(block.pop(at + 1))
                return "moved in"
    return None


def lost_return(source: Source) -> str | None:
    for node in source.nodes(ast.Return):
        if node.value is not None:
            source.replace(node, ast.Expr(node.value))
            return "lost"
    return None


def lost_yield(source: Source) -> str | None:
    for node in source.nodes(ast.Yield, ast.Await, ast.YieldFrom):
        if node.value is not None:
            source.replace(node, node.value)
            return "lost"
    return None


def changed_target(source: Source) -> str | None:
    for node in source.nodes(ast.Assign):
        if isinstance(node.targets[0], ast.Name):
            node.targets[0].id += "_"
            return "changed"
    return None


def assignment_lost(source: Source) -> str | None:
    for node in source.nodes(ast.Assign):
        source.replace(node, ast.Expr(node.value))
        return "lost"
    return None


def changed_with(source: Source) -> str | None:
    for node in source.nodes(ast.With, ast.AsyncWith):
        if len(node.items) > 1:
            node.items.pop()
            return "item lost"
        if node.items[0].optional_vars is not None:
            node.items[0].optional_vars = None
            return "name lost"
    return None


def changed_handler(source: Source) -> str | None:
    for node in source.nodes(ast.ExceptHandler):
        node.type = ast.Name("Exception") if not isinstance(node.type, ast.Name) else ast.Name(node.type.id + "_")
        return "changed"
    return None


def changed_decorator(source: Source) -> str | None:
    for node in source.nodes(ast.FunctionDef, ast.ClassDef):
        if node.decorator_list:
            if source.rng.random() < 0.5:
                node.decorator_list.pop()
            else:
                node.decorator_list.append(ast.Name("staticmethod"))
            return "changed"
    return None


def changed_bases(source: Source) -> str | None:
    for node in source.nodes(ast.ClassDef):
        node.bases.append(ast.Name("object_"))
        return "changed"
    return None


# When something is evaluated.


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


# The helper's name.


def insert_in_function_of_use(source: Source, name: str, text: str) -> bool:
    """Inserts a statement at the beginning of a function that uses the helper."""
    for node in source.nodes(ast.FunctionDef):
        if any(isinstance(n, ast.Name) and n.id == name for s in node.body for n in ast.walk(s)):
            node.body.insert(0, ast.parse(text).body[0])
            return True
    return False


def after_import(source: Source, text: str) -> bool:
    found = helper_import(source)
    if found is None:
        return False
    for block in source.blocks():
        if found in block:
            block[block.index(found) + 1 : block.index(found) + 1] = ast.parse(text).body
            return True
    return False


def shadowed_globally(source: Source) -> str | None:
    name = helper_name(source)
    texts = [
        f"{name} = None", f"import os as {name}", f"from os import path as {name}", f"from os.path import *\n{name}: int = 3",
        f"del {name}", f"class {name}: pass", f"def {name}(): pass", f"for {name} in []: pass", f"({name} := None)",
        f"with open('x') as {name}: pass", f"[{name}, b] = None, 1", f"globals()['{name}'] = None",
        f"try:\n    import other as {name}\nexcept ImportError:\n    pass", f"{name}.accelerator_type = None",
        f"setattr({name}, 'synchronize', None)", f"{name} += 1", f"exec('{name} = None')",
        f"import sys\nsys.modules['{name}'] = None",
    ]  # fmt: skip
    return "shadowed" if name and after_import(source, source.rng.choice(texts)) else None


def shadowed_locally(source: Source) -> str | None:
    name = helper_name(source)
    texts = [
        f"{name} = None", f"import {name}_ as {name}", f"global {name}", f"from os import path as {name}",
        f"for {name} in []: pass", f"def {name}(): pass", f"{name}: int = 3", f"({name} := 3)", f"del {name}",
        f"match x:\n    case {name}: pass", f"match x:\n    case [*{name}]: pass", f"match x:\n    case {{**{name}}}: pass",
        f"try: pass\nexcept E as {name}: pass",
    ]  # fmt: skip
    return "shadowed" if name and insert_in_function_of_use(source, name, source.rng.choice(texts)) else None


def shadowed_by_parameter(source: Source) -> str | None:
    name = helper_name(source)
    for node in source.nodes(ast.FunctionDef, ast.Lambda):
        body = node.body if isinstance(node.body, list) else [node.body]
        if any(isinstance(n, ast.Name) and n.id == name for s in body for n in ast.walk(s)):
            way = source.rng.randrange(3)
            if way == 0 and node.args.vararg is None and not node.args.defaults:
                node.args.args.append(ast.arg(name))
            elif way == 1 and node.args.vararg is None:
                node.args.vararg = ast.arg(name)
            else:
                node.args.kwonlyargs.append(ast.arg(name))
                node.args.kw_defaults.append(ast.Constant(None))
            return "parameter"
    return None


def star_import(source: Source) -> str | None:
    return "star" if after_import(source, source.rng.choice(["from os.path import *", "from .x import *"])) else None


def changed_import(source: Source) -> str | None:
    node = helper_import(source)
    if node is None:
        return None
    way = source.rng.randrange(4)
    if isinstance(node, ast.ImportFrom):
        if way == 0:
            node.level += 1
        elif way == 1 and node.level > 0:
            node.level -= 1 if node.level > 1 or node.module else -1
        elif way == 2:
            node.module = (node.module or "other") + "_"
        else:
            node.names[0].asname = "other"
    else:
        item = next(i for i in node.names if i.name.rpartition(".")[2] in HELPERS)
        item.name, item.asname = [("other", item.name), ("os", item.name), (f"other.{item.name}", item.name),
                                  (item.name, "other")][way]  # fmt: skip
    return "changed"


def lost_helper_import(source: Source) -> str | None:
    node = helper_import(source)
    for block in source.blocks():
        if node in block and len(block) > 1:
            block.remove(node)
            return "lost"
    return None


def late_helper_import(source: Source) -> str | None:
    node = helper_import(source)
    if node in source.tree.body and any(source.is_near(s) for s in source.tree.body if not hasattr(s, "body")):
        source.tree.body.remove(node)
        source.tree.body.append(node)
        return "late"
    return None


def import_in_a_fallback(source: Source) -> str | None:
    """The import may fail, and something else takes the name."""
    name, node = helper_name(source), helper_import(source)
    for block in source.blocks():
        if node in block:
            tree = ast.parse(f"try:\n    pass\nexcept ImportError:\n    {name} = None").body[0]
            tree.body = [node]
            block[block.index(node)] = tree
            return "fallback"
    return None


def import_in_a_condition(source: Source) -> str | None:
    node = helper_import(source)
    for block in source.blocks():
        if node in block:
            tree = ast.parse("if DEBUG:\n    pass").body[0]
            tree.body = [node]
            block[block.index(node)] = tree
            return "condition"
    return None


def lost_other_import(source: Source) -> str | None:
    """Imports of other packages; those out of torch may be taken from the module instead."""
    for block in source.blocks():
        for at, node in enumerate(block):
            if not isinstance(node, ast.Import | ast.ImportFrom) or len(block) < 2 or node is helper_import(source):
                continue
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [item.name for item in node.names]
            if not any(m == "torch" or m.startswith("torch.cuda") or m == "__future__" for m in modules):
                block.pop(at)
                return "lost"
    return None


def renamed_import(source: Source) -> str | None:
    for node in source.nodes(ast.Import, ast.ImportFrom):
        if (
            node is not helper_import(source)
            and node.names[0].name != "*"
            and getattr(node, "module", "") != "__future__"
        ):
            node.names[0].asname = (node.names[0].asname or node.names[0].name.partition(".")[0]) + "_"
            return "renamed"
    return None


TREE_MUTATORS: dict[str, Callable[[Source], str | None]] = {
    name.replace("_", "-"): value
    for name, value in list(globals().items())
    if callable(value)
    and getattr(value, "__annotations__", {}).get("return") == "str | None"
    and list(value.__annotations__) == ["source", "return"]
    and name != "helper_name"
}  # fmt: skip


# On the text itself.


def deleted_line(lines: list[str], rng: random.Random) -> None:
    lines.pop(rng.randrange(len(lines)))


def line_in_a_comment(lines: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    lines[at] = "# " + lines[at]


def changed_indentation(lines: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    lines[at] = lines[at][4:] if lines[at].startswith("    ") else "    " + lines[at]


def swapped_lines(lines: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(lines) - 1)
    if "import" not in lines[at] + lines[at + 1]:
        lines[at], lines[at + 1] = lines[at + 1], lines[at]


def joined_lines(lines: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(lines) - 1)
    lines[at : at + 2] = [lines[at].rstrip("\r\n") + "; " + lines[at + 1].lstrip()]


def space_in_a_string(lines: list[str], rng: random.Random) -> None:
    tokens = [t for t in tokenize.generate_tokens(io.StringIO("".join(lines)).readline) if t.type == tokenize.STRING]
    tokens = [t for t in tokens if t.start[0] == t.end[0] and "'''" not in t.string and '"""' not in t.string]
    token = rng.choice(tokens)
    row, column = token.end[0] - 1, token.end[1] - 1
    lines[row] = lines[row][:column] + rng.choice([" ", "\\t", "\\n", "\\\\"]) + lines[row][column:]


TEXT_MUTATORS: dict[str, Callable[[list[str], random.Random], None]] = {
    "deleted-line": deleted_line,
    "line-in-a-comment": line_in_a_comment,
    "changed-indentation": changed_indentation,
    "swapped-lines": swapped_lines,
    "joined-lines": joined_lines,
    "space-in-a-string": space_in_a_string,
}
KINDS = sorted(TREE_MUTATORS) + sorted(TEXT_MUTATORS)


# Back to text: only the statements that differ are written anew, and only where Python's own layout has the same tokens,
# so that nothing but the wrong edit differs.


def tokens_of(text: str) -> list[str]:
    skipped = (tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    found: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and "f" not in token.string[:2].lower():
            found.append(repr(ast.literal_eval(token.string)))
        elif token.type not in skipped:
            found.append(token.string)
    return found


class Splicer:
    """Finds the lines to be replaced so that a text has another tree."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.edits: list[tuple[int, int, str]] = []  # first line, line behind, text

    def first(self, node: ast.stmt) -> int:
        return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1

    def replace(self, begin: int, end: int, old: str, new: str, indent: str) -> None:
        if tokens_of(textwrap.dedent("".join(self.lines[begin:end]))) != tokens_of(old):
            raise ValueError("another layout")
        self.edits.append((begin, end, textwrap.indent(new + "\n" if new else "", indent)))

    def block(self, old: list[ast.stmt], new: list[ast.stmt]) -> None:
        if len(old) == len(new):
            for before, after in zip(old, new, strict=True):
                self.pair(before, after)
            return
        dumps = [[ast.dump(s) for s in side] for side in (old, new)]
        begin = 0
        while begin < min(len(old), len(new)) and dumps[0][begin] == dumps[1][begin]:
            begin += 1
        end = 0
        while end < min(len(old), len(new)) - begin and dumps[0][-1 - end] == dumps[1][-1 - end]:
            end += 1
        gone, come = old[begin : len(old) - end], new[begin : len(new) - end]
        line = self.first(gone[0]) if gone else self.first(old[begin]) if begin < len(old) else old[-1].end_lineno
        self.replace(
            line,
            gone[-1].end_lineno if gone else line,
            "\n".join(map(ast.unparse, gone)),
            "\n".join(map(ast.unparse, come)),
            " " * old[0].col_offset,
        )

    def pair(self, old: ast.stmt, new: ast.stmt) -> None:
        if ast.dump(old) == ast.dump(new):
            return
        blocks = ("body", "orelse", "finalbody")
        if type(old) is type(new) and hasattr(old, "body") and not isinstance(old, ast.Match | ast.Expression):
            bodies = [(getattr(old, f, []), getattr(new, f, [])) for f in blocks]
            shape = all(bool(before) == bool(after) for before, after in bodies)
            heads = [self.head(node) for node in (old, new)]
            if shape and heads[0] == heads[1]:
                for before, after in bodies:
                    self.block(before, after)
                return
            same = all([ast.dump(s) for s in before] == [ast.dump(s) for s in after] for before, after in bodies)
            line = self.first(old.body[0])
            if same and not getattr(old, "handlers", []) and line > old.lineno - 1:
                texts = [
                    ast.unparse(ast.fix_missing_locations(head)).removesuffix("    pass") for head in heads_of(old, new)
                ]
                self.replace(self.first(old), line, texts[0].rstrip(), texts[1].rstrip(), " " * old.col_offset)
                return
        self.replace(self.first(old), old.end_lineno, ast.unparse(old), ast.unparse(new), " " * old.col_offset)

    def head(self, node: ast.stmt) -> str:
        fields = [(name, value) for name, value in ast.iter_fields(node) if name not in {"body", "orelse", "finalbody"}]
        return repr([(n, [ast.dump(i) if isinstance(i, ast.AST) else i for i in v] if isinstance(v, list) else
                      ast.dump(v) if isinstance(v, ast.AST) else v) for n, v in fields])  # fmt: skip

    def text(self) -> str:
        lines = list(self.lines)
        for begin, end, text in sorted(self.edits, reverse=True):
            lines[begin:end] = [text]
        return "".join(lines)


def heads_of(*nodes: ast.stmt) -> list[ast.stmt]:
    heads = []
    for node in nodes:
        head = copy.copy(node)
        head.body = [ast.Pass()]
        if hasattr(head, "orelse"):
            head.orelse = []
        heads.append(head)
    return heads


def spliced(text: str, old: ast.Module, new: ast.Module) -> str:
    splicer = Splicer(text.splitlines(keepends=True))
    splicer.block(old.body, new.body)
    return splicer.text()


def parsed(text: str) -> ast.Module | None:
    """The tree, if the text compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "x.py", "exec")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def mutate(text: str, kind: str, seed: int) -> str | None:
    """The text with one wrong edit of that kind: it compiles and its tree is another one. None if there is no place."""
    tree = parsed(text)
    if tree is None:
        return None
    before = ast.dump(tree)
    rng = random.Random(seed)
    for _ in range(12):
        try:
            if kind in TREE_MUTATORS:
                changed = copy.deepcopy(tree)
                if TREE_MUTATORS[kind](Source(changed, rng)) is None:
                    return None
                result = spliced(text, tree, ast.fix_missing_locations(changed))
                again = parsed(result)
                if again is None or ast.dump(again) != ast.dump(ast.parse(ast.unparse(changed))):
                    continue
            else:
                lines = text.splitlines(keepends=True)
                TEXT_MUTATORS[kind](lines, rng)
                result = "".join(lines)
        except (ValueError, IndexError, AttributeError, SyntaxError, tokenize.TokenError):
            continue
        after = parsed(result)
        if after is not None and ast.dump(after) != before:
            return result
    return None
