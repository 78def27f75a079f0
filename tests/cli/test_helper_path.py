"""The helper module's path in accelport.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from program import Run
from test_port import contents, port, written

USE = "import torch\nn = torch.cuda.device_count()\n"


def package(tree: Path, helper: str) -> None:
    for folder in ("pkg", "pkg/core", "pkg/util"):
        (tree / folder).mkdir()
        (tree / folder / "__init__.py").write_text("")
    (tree / "accelport.toml").write_text(f'platforms = ["musa"]\nhelper = "{helper}"\n')
    (tree / "pkg/core/a.py").write_text("from . import b\n" + USE)
    (tree / "pkg/core/b.py").write_text("")
    (tree / "pkg/c.py").write_text("from .core import b\n" + USE)
    (tree / "pkg/util/d.py").write_text("import pkg.core.b\n" + USE)


def test_is_obeyed(run: Run, tree: Path) -> None:
    package(tree, "pkg/util/accelerator.py")
    (tree / "pyproject.toml").write_text('[project]\nname = "pkg"\n')
    (tree / "main.py").write_text("import pkg\n" + USE)
    written(run, "--only", "pkg", "--only", "main.py")
    assert [p for p in contents(tree) if p.endswith("accelerator.py")] == ["pkg/util/accelerator.py"]
    assert "from ..util import accelerator\n" in (tree / "pkg/core/a.py").read_text()
    assert "from .util import accelerator\n" in (tree / "pkg/c.py").read_text()
    assert "from pkg.util import accelerator\n" in (tree / "pkg/util/d.py").read_text()
    assert "from pkg.util import accelerator\n" in (tree / "main.py").read_text()
    for module in ("pkg.core.a", "pkg.c", "pkg.util.d", "main"):
        check = f"import ast, importlib.util as u; ast.parse(open(u.find_spec({module!r}).origin).read())"
        assert subprocess.run([sys.executable, "-c", check], cwd=tree, check=False).returncode == 0
    assert "nothing to change" in port(run, "--only", "pkg").stdout


def test_a_file_that_cannot_import_it_stays(run: Run, tree: Path) -> None:
    (tree / "tools").mkdir()
    (tree / "tools/t.py").write_text(USE)
    (tree / "accelport.toml").write_text('helper = "accelerator.py"\n')
    result = port(run, "--only", "tools")
    assert "not sure that this file can import accelerator.py" in result.stdout


@pytest.mark.parametrize(("path", "word"), [("pkg/ours.py", "accelerator.py"), ("nowhere/accelerator.py", "no folder")])
def test_errors_name_the_line(run: Run, tree: Path, path: str, word: str) -> None:
    package(tree, path)
    result = port(run)
    assert result.returncode == 2
    assert "accelport.toml:2" in result.stderr and word in result.stderr
