"""Wrong edits of the text itself."""

from __future__ import annotations

import io
import random
import tokenize
from collections.abc import Callable


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
