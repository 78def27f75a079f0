"""`accelport prove`: what it says of a port as it was written, and of trees that were changed since."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from program import ROOT, Run

PLATFORM = next(p.name for p in sorted((ROOT / "data/platforms").iterdir()) if (p / "profile.toml").exists())
GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@example.org")


@pytest.fixture
def ported(tree: Path, run: Run) -> Path:
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "original"]):
        subprocess.run([*GIT, *command], cwd=tree, check=True, capture_output=True)
    done = run("port", ".", "--to", PLATFORM, "--write", "-q")
    assert done.returncode in (0, 1), done.stderr
    assert (tree / "accelerator.py").exists()
    return tree


def statuses(run: Run) -> dict[str, str]:
    done = run("prove", ".", "--base", "HEAD", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["identical"] else 1)
    return {row["path"]: row["status"] for row in report["files"]}


def test_a_port_is_identical(ported: Path, run: Run) -> None:
    found = statuses(run)
    assert found["train.py"] == "identical"
    assert found["accelerator.py"] == "helper"
    assert not set(found.values()) & {"different", "unreadable", "helper-edited", "removed"}


def test_a_wrong_edit_is_named_with_its_line(ported: Path, run: Run) -> None:
    text = (ported / "train.py").read_text()
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "is_available()" in row)
    (ported / "train.py").write_text(text.replace("is_available()", "device_count()"))
    done = run("prove", ".", "--base", "HEAD")
    assert done.returncode == 1
    assert f"train.py:{line}: was: " in done.stdout


def test_an_edited_helper_is_not_the_helper(ported: Path, run: Run) -> None:
    helper = ported / "accelerator.py"
    helper.write_text(helper.read_text().replace('"cuda" if', '"cpu" if'))
    found = statuses(run)
    assert found["accelerator.py"] == "helper-edited"
    assert found["train.py"] == "different", "its helper is nobody's"


@pytest.mark.parametrize(
    "path",
    [
        "accelerator/__init__.py",
        "accelerator/__init__.pyc",
        "accelerator.cpython-311-x86_64-linux-gnu.so",
        "accelerator.pyd",
        "torch.py",
        "torch/__init__.py",
    ],
)
def test_a_new_module_in_front_of_the_helper_or_torch_is_reported(path: str, ported: Path, run: Run) -> None:
    (ported / path).parent.mkdir(exist_ok=True)
    (ported / path).write_text("accelerator_type = None\n")
    assert statuses(run)[path] == "different"


def test_a_new_file_of_another_name_takes_no_part(ported: Path, run: Run) -> None:
    (ported / "other.py").write_text("x = 1\n")
    assert statuses(run)["other.py"] == "added"


def test_without_git_there_is_nothing_to_compare_with(tree: Path, run: Run) -> None:
    done = run("prove", ".")
    assert done.returncode == 2
    assert "no git work tree" in done.stderr


def test_a_base_that_is_not_there_is_an_error(ported: Path, run: Run) -> None:
    done = run("prove", ".", "--base", "no-such-revision")
    assert done.returncode == 64
    assert "no-such-revision" in done.stderr
