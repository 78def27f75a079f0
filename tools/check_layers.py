#!/usr/bin/env python3
"""Checks what the files of src/ and runtime/ include and use against tools/layers.txt.

Reports includes that go up or sideways, third-party headers outside their files, calls that reach
the outside world past src/base, exceptions, a source whose own header is not included first, and
platform names, which belong into data/. Prints one line per problem and exits with 1 if any.
"""

from __future__ import annotations

import fnmatch
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"[a-z_0-9]+")
NOT_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | (?:\b(?:u8|[uUL])?R)"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'""",
    re.VERBOSE | re.DOTALL,
)


@dataclass
class Rules:
    """The content of tools/layers.txt."""

    layers: dict[str, set[str]] = field(default_factory=dict)
    headers: list[tuple[str, list[str]]] = field(default_factory=list)
    bans: list[tuple[re.Pattern[str], list[str]]] = field(default_factory=list)
    origins: set[str] = field(default_factory=set)


def read_rules(path: Path) -> Rules:
    rules = Rules()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        word, _, rest = line.partition(" ")
        if not line.strip() or word.startswith("#"):
            continue
        if word == "origin":
            rules.origins.add(rest.strip())
            continue
        left, colon, right = rest.rpartition(":")
        if not colon or word not in ("layer", "header", "ban"):
            sys.exit(f"{path}:{number}: cannot read this line: {line}")
        if word == "layer":
            rules.layers[left] = set(right.split())
        elif word == "header":
            rules.headers.append((left, right.split()))
        else:
            rules.bans.append((re.compile(left), right.split()))
    return rules


def matches(path: str, globs: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, glob) for glob in globs)


def blank(match: re.Match[str]) -> str:
    """Comments and literals become blanks; lines stay where they are, and so do includes."""
    return re.sub(r"[^\n]", " ", match.group())


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def layer_of(path: str) -> str | None:
    """For a file of src/base it is "base", for one of runtime/core "runtime/core", outside both None."""
    folders = path.split("/")
    if folders[0] == "runtime":
        return f"runtime/{folders[1]}"
    return folders[1] if folders[0] == "src" else None


def check_runtime_include(path: str, name: str, rules: Rules) -> str | None:
    """In runtime/ a name is a file beside, one of runtime/ or one of src/."""
    layer = layer_of(path)
    allowed = rules.layers[layer] | {layer}
    if "/" not in name and (ROOT / path).with_name(name).is_file():
        return None
    folder = name.split("/")[0]
    target = f"runtime/{folder}" if (ROOT / "runtime" / name).is_file() else folder
    if target == folder and not (ROOT / "src" / name).is_file():
        return f'"{name}" is no file of runtime/ or src/'
    return None if target in allowed else f'{layer} may not include "{name}"'


def check_own_include(path: str, name: str, rules: Rules) -> str | None:
    if path.startswith("runtime/"):
        return check_runtime_include(path, name, rules)
    layer = layer_of(path)
    target = name.split("/")[0]
    if not (ROOT / "src" / name).is_file():
        beside = (ROOT / path).parent / name
        if layer is None and beside.is_file():
            return None
        return f'"{name}" is no file below src/'
    if layer and target != layer and target not in rules.layers[layer]:
        return f'{layer} may not include "{name}"'
    return None


def check_foreign_include(path: str, name: str, rules: Rules) -> str | None:
    if STANDARD.fullmatch(name):
        return None
    for prefix, globs in rules.headers:
        if name.startswith(prefix):
            return None if matches(path, globs) else f"<{name}> belongs into {' '.join(globs)}"
    return f"<{name}> is not listed in tools/layers.txt"


def check_includes(path: str, text: str, rules: Rules) -> list[tuple[int, str]]:
    problems = []
    found = list(INCLUDE.finditer(text))
    for match in found:
        check = check_own_include if match[1] == '"' else check_foreign_include
        problem = check(path, match[2], rules)
        if problem:
            problems.append((line_of(text, match.start()), problem))
    own = re.sub(r"^src/(.*)\.cc$", r"\1.h", path)
    if own != path and (ROOT / "src" / own).is_file() and (not found or found[0][2] != own):
        problems.append((1, f'the first include is not "{own}"'))
    return problems


def check_bans(path: str, text: str, rules: Rules) -> list[tuple[int, str]]:
    code = NOT_CODE.sub(blank, text)
    return [
        (line_of(code, match.start()), f"`{match.group().strip()}` is banned here")
        for pattern, globs in rules.bans
        if not matches(path, globs)
        for match in pattern.finditer(code)
    ]


def platform_names(rules: Rules) -> list[str]:
    folder = ROOT / "data" / "platforms"
    names = sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []
    return [name for name in names if name not in rules.origins]


def check_names(text: str, names: list[str]) -> list[tuple[int, str]]:
    """Short names only as words: `npu` lies in `input`, `xpu` in nothing that is known."""
    problems = []
    for name in names:
        pattern = re.escape(name) if len(name) > 3 else rf"(?<![a-z]){re.escape(name)}(?![a-z])"
        for match in re.finditer(pattern, text, re.IGNORECASE):
            problems.append((line_of(text, match.start()), f"names the platform {name}"))
    return problems


def main() -> int:
    rules = read_rules(ROOT / "tools" / "layers.txt")
    names = platform_names(rules)
    files = 0
    problems = []
    for folder in ("src", "runtime", "fuzz", "tests", "bench"):
        for file in sorted((ROOT / folder).glob("**/*")):
            path = file.relative_to(ROOT).as_posix()
            in_data = folder == "tests" and file.parent != ROOT / "tests"
            if file.suffix not in (".h", ".cc") or in_data:
                continue
            files += 1
            text = file.read_text()
            found = []
            if folder in ("src", "runtime") and layer_of(path) not in rules.layers:
                problems.append(f"{path}:1: no layer of this name in tools/layers.txt")
                continue
            found += check_includes(path, text, rules)
            if folder in ("src", "runtime"):
                found += check_bans(path, text, rules) + check_names(text, names)
            problems += [f"{path}:{line}: {problem}" for line, problem in sorted(found)]
    print("\n".join([*problems, f"layers: {files} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
