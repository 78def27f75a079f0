#!/usr/bin/env python3
"""Draws what a command prints in a terminal as an SVG picture (docs/audit.svg in the README).

usage: picture.py [--lines N] [--output FILE] [PATH]
Runs `accelport audit PATH` with colours and turns the first N lines with their escape codes into text of the picture.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
COLUMNS = 100
CHARACTER, LINE, MARGIN = 8.43, 19, 18  # of a 14 px monospaced font
COLOURS = {"31": "#f47067", "32": "#57ab5a", "33": "#daaa3f", "35": "#b083f0"}
FOREGROUND, FAINT, BACKGROUND = "#d1d7e0", "#8b949e", "#1c2128"
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


@dataclass(frozen=True)
class Piece:
    """Text of one line in one style."""

    column: int
    text: str
    codes: tuple[str, ...]

    def svg(self, y: float) -> str:
        faint = "2" in self.codes
        colour = next((COLOURS[code] for code in self.codes if code in COLOURS), FAINT if faint else FOREGROUND)
        bold = ' font-weight="bold"' if "1" in self.codes else ""
        x = MARGIN + self.column * CHARACTER
        # A fixed length keeps the columns aligned in whatever font there is.
        length = f' textLength="{len(self.text) * CHARACTER:.1f}"'
        return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{bold}{length}>{escape(self.text)}</text>'


def pieces_of(line: str) -> list[Piece]:
    pieces, column, codes, at = [], 0, (), 0
    for match in [*ESCAPE.finditer(line), None]:
        text = line[at : match.start() if match else len(line)]
        stripped = text.lstrip(" ")
        if stripped.rstrip(" "):
            pieces.append(Piece(column + len(text) - len(stripped), stripped.rstrip(" "), codes))
        column += len(text)
        if match:
            at = match.end()
            new = tuple(code for code in match[1].split(";") if code not in ("", "0"))
            codes = codes + new if new else ()
    return pieces


def draw(lines: list[str], title: str) -> str:
    width = 2 * MARGIN + COLUMNS * CHARACTER
    height = 2 * MARGIN + LINE * len(lines)
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" xml:space="preserve">',
    ]
    for number, line in enumerate(lines):
        y = MARGIN + LINE * number + LINE * 0.72
        rows += [piece.svg(y) for piece in pieces_of(line)]
    return "\n".join([*rows, "</g>", "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", default="examples/lm-trainer")
    parser.add_argument("--lines", type=int, default=52)
    parser.add_argument("--output", type=Path, default=ROOT / "docs/audit.svg")
    arguments = parser.parse_args()
    command = ["audit", arguments.path, "--color", "always", "--fail-on", "none"]
    environment = {**os.environ, "COLUMNS": str(COLUMNS)}
    shown = subprocess.run(
        [PROGRAM, *command], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout
    lines = [f"\x1b[2m$\x1b[0m accelport audit {arguments.path}", "", *shown.splitlines()]
    arguments.output.write_text(
        draw([*lines[: arguments.lines], "\x1b[2m…\x1b[0m"], "accelport audit of an example"), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
