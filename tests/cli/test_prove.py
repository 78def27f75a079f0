"""`accelport prove`: what it says of a port as it was written, and of trees that were changed since."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
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
    jsonschema.validate(report, json.loads((ROOT / "docs/schemas/prove.schema.json").read_text(encoding="utf-8")))
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
    assert "changed by hand" in run("prove", ".").stdout


@pytest.mark.parametrize(
    "path",
    [
        "accelerator/__init__.py",
        "accelerator/__init__.pyc",
        "accelerator.cpython-311-x86_64-linux-gnu.so",
        "accelerator.pyd",
        "torch.py",
        "torch/__init__.py",
        "conftest.py",
        "sitecustomize.py",
        "usercustomize/__init__.py",
        "paths.pth",
    ],
)
def test_a_new_module_that_is_imported_unasked_is_reported(path: str, ported: Path, run: Run) -> None:
    (ported / path).parent.mkdir(exist_ok=True)
    (ported / path).write_text("accelerator_type = None\n")
    assert statuses(run)[path] == "different"


def test_a_new_file_of_another_name_takes_no_part(ported: Path, run: Run) -> None:
    (ported / "other.py").write_text("x = 1\n")
    assert statuses(run)["other.py"] == "added"


def test_a_new_module_of_a_name_that_the_tree_imports_is_reported(ported: Path, run: Run) -> None:
    (ported / "os.py").write_text("x = 1\n")
    (ported / "train.py").write_text("import os\n" + (ported / "train.py").read_text())
    assert statuses(run)["os.py"] == "different"


def commit(tree: Path) -> None:
    for command in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "original"]):
        subprocess.run([*GIT, *command], cwd=tree, check=True, capture_output=True)


def helper_text(run: Run, place: Path) -> str:
    """The helper with `accelerator_type` alone."""
    place.mkdir()
    (place / "only.py").write_text("import torch\nx = torch.zeros(1, device='cuda')\n")
    assert run("port", ".", "--to", PLATFORM, "--write", "-q", cwd=place).returncode in (0, 1)
    return (place / "accelerator.py").read_text()


OLD = "import torch\nx = torch.zeros(1, device='cuda')\n"
NEW = "import torch\n{}\nx = torch.zeros(1, device=accelerator.accelerator_type())\n"


@pytest.mark.parametrize(
    ("files", "importing"),
    [
        ({"sub/accelerator.py": "x = 1\n", "sub/a.py": OLD}, "import accelerator"),
        ({"sub/accelerator/__init__.py": "x = 1\n", "sub/a.py": OLD}, "import accelerator"),
        ({"accelerator/__init__.py": "x = 1\n", "a.py": OLD}, "import accelerator"),
        ({"pkg/__init__.py": "accelerator = object()\n", "pkg/a.py": OLD}, "from . import accelerator"),
        ({"pkg/__init__.py": "accelerator = object()\n", "pkg/a.py": OLD}, "from pkg import accelerator"),
        ({"pkg/__init__.py": "from .b import *\n", "pkg/b.py": "accelerator = 1\n", "pkg/a.py": OLD},
         "from . import accelerator"),
        ({"pkg/__init__.py": "def __getattr__(name):\n    return {'accelerator': 1}[name]\n", "pkg/a.py": OLD},
         "from . import accelerator"),
        ({"torch.py": "x = 1\n", "a.py": OLD}, "import accelerator"),
        ({"torch/__init__.py": "x = 1\n", "a.py": OLD}, "import accelerator"),
    ],
)  # fmt: skip
def test_what_stands_before_the_helper_is_no_proof(
    files: dict[str, str], importing: str, run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    helper = helper_text(run, tmp_path_factory.mktemp("helper") / "tree")
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    commit(tmp_path)
    changed = next(path for path in files if path.endswith("a.py") or path == "a.py")
    (tmp_path / changed).write_text(NEW.format(importing))
    place = tmp_path / ("pkg" if "pkg/a.py" in files else "")
    (place / "accelerator.py").write_text(helper)
    assert statuses(run)[changed] == "different"


def test_a_package_that_only_imports_the_helper_takes_nothing_away(
    run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    helper = helper_text(run, tmp_path_factory.mktemp("helper") / "tree")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text(OLD)
    commit(tmp_path)
    (tmp_path / "pkg/__init__.py").write_text(NEW.format("from . import accelerator"))
    (tmp_path / "pkg/accelerator.py").write_text(helper)
    assert statuses(run)["pkg/__init__.py"] == "identical"


def notebook(*cells: str | list[str]) -> str:
    rows = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (["x = 'cuda'"], ["import accelerator\nx = accelerator.accelerator_type()"], "identical"),
        (["!ls\n%time f()\nx = 'cuda'"], ["import accelerator\n!ls\n%time f()\nx = accelerator.accelerator_type()"],
         "identical"),
        ([["x = 'cuda'\n", "y = 1"]], [["import accelerator\n", "x = accelerator.accelerator_type()\n", "y = 1"]],
         "identical"),
        (["x = 'cuda'"], ["import accelerator\nx = accelerator.accelerator_type() + '0'"], "different"),
        (["x = 'cuda'", "y = 1"], ["x = 'cuda'\ny = 1", ""], "different"),
        (["!ls\nx = 1"], ["!rm -r .\nx = 1"], "different"),
        (["%%bash\nls"], ["%%bash\nls -l"], "different"),
        (["x = 1"], ["x = 1", "y = 1"], "different"),
        (["x = 1"], ["x = ("], "unreadable"),
        (["!ls"], ["accelport_magic_216c73"], "unreadable"),
    ],
)  # fmt: skip
def test_the_source_of_a_notebook_is_compared(
    before: list[str], after: list[str], status: str, run: Run, tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    helper = helper_text(run, tmp_path_factory.mktemp("helper") / "tree")
    (tmp_path / "a.ipynb").write_text(notebook(*before))
    commit(tmp_path)
    (tmp_path / "a.ipynb").write_text(notebook(*after))
    (tmp_path / "accelerator.py").write_text(helper)
    assert statuses(run)["a.ipynb"] == status


def test_a_notebook_differs_in_its_source_alone(run: Run, tmp_path: Path) -> None:
    text = notebook("x = 1", "print('cuda')")
    (tmp_path / "a.ipynb").write_text(text)
    commit(tmp_path)
    (tmp_path / "a.ipynb").write_text(text.replace("print('cuda')", "print('cpu')"))
    done = run("prove", ".")
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "cuda" in row)
    assert f"a.ipynb:{line}: cell 2: was: print('cuda')" in done.stdout
    (tmp_path / "a.ipynb").write_text(text.replace('"nbformat": 4', '"nbformat": 3'))
    assert statuses(run)["a.ipynb"] == "different"


def test_without_git_there_is_nothing_to_compare_with(tree: Path, run: Run) -> None:
    done = run("prove", ".")
    assert done.returncode == 2
    assert "no git work tree" in done.stderr
    assert "git init" in done.stderr


def test_a_base_that_is_not_there_is_an_error(ported: Path, run: Run) -> None:
    done = run("prove", ".", "--base", "no-such-revision")
    assert done.returncode == 64
    assert "no-such-revision" in done.stderr
