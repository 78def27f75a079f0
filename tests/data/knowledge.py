"""Readers of the knowledge data that the tests share."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "data"
PLATFORMS = sorted(path.name for path in (DATA / "platforms").iterdir())


def read_toml(name: str) -> dict[str, Any]:
    """A TOML file below data/."""
    with (DATA / name).open("rb") as file:
        return tomllib.load(file)


def read_tsv(name: str) -> list[dict[str, str]]:
    """The rows of a TSV file below data/, by column name; every line must have all cells."""
    text = (DATA / name).read_text(encoding="utf-8")
    assert text.endswith("\n") and not text.endswith("\n\n"), name
    lines = text.split("\n")[:-1]
    columns = lines[0].split("\t")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        assert len(cells) == len(columns), f"{name}:{number}: {len(cells)} cells, expected {len(columns)}"
        assert all(cell == cell.strip() for cell in cells), f"{name}:{number}: blanks at the end of a cell"
        rows.append(dict(zip(columns, cells, strict=True)))
    return rows
