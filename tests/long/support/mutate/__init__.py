"""Wrong edits of a ported Python file, made over Python's own `ast` and `tokenize`: nothing here knows how the program
reads a text. Each mutator changes one place of a tree, chosen by the generator that it is given, and says what it did; or
finds nothing to change and gives None."""

from __future__ import annotations

import ast
import copy
import random
import tokenize
from collections.abc import Callable

from support.mutate import calls, evaluation, expressions, names, statements
from support.mutate.lines import TEXT_MUTATORS
from support.mutate.source import Source
from support.mutate.splice import parsed, spliced

TREE_MUTATORS: dict[str, Callable[[Source], str | None]] = {
    name.replace("_", "-"): value
    for module in (calls, evaluation, expressions, names, statements)
    for name, value in vars(module).items()
    if getattr(value, "__module__", "") == module.__name__
    and value.__annotations__ == {"source": "Source", "return": "str | None"}
}

KINDS = sorted(TREE_MUTATORS) + sorted(TEXT_MUTATORS)


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
