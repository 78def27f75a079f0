"""Wrong edits of statements."""

from __future__ import annotations

import ast
import copy

from support.mutate.source import Source, helper_name


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
