"""Wrong edits of imports and of the helper's name."""

from __future__ import annotations

import ast

from support.mutate.source import HELPERS, Source, helper_import, helper_name


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
