"""Back to text: only the statements that differ are written anew, and only where Python's own layout has the same tokens, so
that nothing but the wrong edit differs."""

from __future__ import annotations

import ast
import copy
import io
import textwrap
import tokenize
import warnings


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
