"""Renders the helper module from its table as the program does; a test holds both to the same golden text."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TABLE: dict[str, Any] = tomllib.loads((ROOT / "data/port/helper.toml").read_text())
FUNCTIONS: dict[str, dict[str, Any]] = {row["name"]: row for row in TABLE["function"]}
PROFILES = [tomllib.loads(path.read_text()) for path in sorted((ROOT / "data/platforms").glob("*/profile.toml"))]
GOLDEN = Path(__file__).with_name("accelerator_all.py")


def closure(used: set[str]) -> set[str]:
    """The functions in `used` with all that they need."""
    found: set[str] = set()
    todo = list(used)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += FUNCTIONS[name]["needs"]
    return found


def import_block(statements: set[str]) -> str:
    """Import statements, each module once: `import a` first, then `from a import b, c`."""
    plain = sorted(s for s in statements if s.startswith("import "))
    names: dict[str, set[str]] = {}
    for statement in statements - set(plain):
        module, _, listed = statement.removeprefix("from ").partition(" import ")
        names.setdefault(module, set()).update(name.strip() for name in listed.split(","))
    plain += [f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names)]
    return "".join(f"{line}\n" for line in plain)


def platform_row(profile: dict[str, Any]) -> str:
    """One row of the helper's table of platforms."""
    torch, distributed = profile["torch"], profile["distributed"]
    cells = (
        torch["device_type"],
        torch["import"],
        distributed["backend"],
        profile["visibility"]["process"],
        distributed["variable_prefix"],
        torch.get("profiler_activity", "").rpartition(".")[2],
    )
    return "    _Platform(" + ", ".join(f'"{cell}"' for cell in cells) + "),\n"


def render(used: set[str] | None = None) -> str:
    """The helper with the functions in `used`, all if left out, for every platform."""
    functions = [row for row in TABLE["function"] if row["name"] in closure(used or set(FUNCTIONS))]
    imports = set(TABLE["platforms"]["imports"]).union(*(row["imports"] for row in functions))
    titles = [profile["title"] for profile in PROFILES]
    listed = " or ".join(filter(None, [", ".join(titles[:-1]), titles[-1]]))
    text = TABLE["head"].replace("@titles@", listed) + "\n" + import_block(imports) + "\n\n"
    text += TABLE["platforms"]["before"] + "".join(map(platform_row, PROFILES)) + TABLE["platforms"]["after"]
    return text + "".join("\n\n" + row["source"] for row in functions)
