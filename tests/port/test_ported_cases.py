"""Every row of tests/rewriter and every hard case, ported by the program: what must change does and what must stay does,
CUDA's behaviour is proven the same, a second port finds nothing, and taking the port back restores every byte."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
PLATFORM = sorted(path.name for path in (ROOT / "data/platforms").iterdir())[0]
ROWS = [json.loads(line) for line in (ROOT / "tests/rewriter/rows.jsonl").read_text().splitlines()]
PROVEN = {"identical", "helper", "beside"}
# Files of the hard cases of which prove cannot say that, with what it says instead.
NOT_PROVEN = {
    "156-encodings/b.py": "unreadable",
}


def call(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, errors="surrogateescape", timeout=300, check=False
    )


def commit(tree: Path) -> None:
    user = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    for command in (("init", "-q"), ("add", "-A"), (*user, "commit", "-qm", "before")):
        assert call("git", *command, cwd=tree).returncode == 0


def contents(tree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in sorted(tree.rglob("*"))
        if path.is_file() and not path.is_symlink() and not {".git", ".accelport"} & set(path.relative_to(tree).parts)
    }


def ported(tree: Path) -> dict[str, bytes]:
    done = call(PROGRAM, "port", ".", "--to", PLATFORM, "--write", cwd=tree)
    assert done.returncode in (0, 1), done.stderr
    return contents(tree)


def is_settled(tree: Path) -> bool:
    """Whether a second port changes nothing."""
    before = contents(tree)
    assert call(PROGRAM, "port", ".", "--to", PLATFORM, "--write", cwd=tree).returncode in (0, 1)
    return contents(tree) == before


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["case"]))
def test_row(row: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / row["file"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(row["src"])
    commit(tmp_path)
    before = contents(tmp_path)
    text = ported(tmp_path)[row["file"]].decode()
    for fragment in row["change"]:
        assert text.count(fragment) < row["src"].count(fragment), f"unchanged: {fragment}\n{text}"
    for fragment in row["stay"]:
        assert text.count(fragment) >= row["src"].count(fragment), f"changed: {fragment}\n{text}"
    proof = call(PROGRAM, "prove", ".", cwd=tmp_path)
    known = row["file"].endswith(".ipynb") and "not proven" in proof.stdout
    assert proof.returncode == 0 or known, proof.stdout
    assert is_settled(tmp_path)
    if contents(tmp_path) != before:
        assert call(PROGRAM, "port", ".", "--revert", cwd=tmp_path).returncode == 0
    assert contents(tmp_path) == before


def test_hard_cases(tmp_path: Path) -> None:
    tree = tmp_path / "hard"
    shutil.copytree(ROOT / "tests/hard", tree, symlinks=True)
    commit(tree)
    before = contents(tree)
    changed = {path for path, text in ported(tree).items() if before.get(path, text) != text}
    assert len(changed) > 60
    proof = json.loads(call(PROGRAM, "prove", ".", "--json", cwd=tree).stdout)
    status = {row["path"]: row["status"] for row in proof["files"]}
    assert {path: status.get(path, "not looked at") for path in changed if status.get(path) not in PROVEN} == NOT_PROVEN
    assert is_settled(tree)
    assert call(PROGRAM, "port", ".", "--revert", cwd=tree).returncode == 0
    assert contents(tree) == before
