"""`accelport port --eject` and `--force`: nothing of the tool stays; changes by hand are given up only when asked."""

from __future__ import annotations

from pathlib import Path

from program import Run
from test_port import commit, contents, git, port, written

COMMENTED = b"""import torch

x = torch.zeros(1).cuda()  # accelport: retain -- one card
# accelport: ignore -- a name\r
y = "cuda"
s = '''
# accelport: retain -- in a string
'''
"""


def prepared(run: Run, tree: Path) -> None:
    (tree / "a.py").write_bytes(COMMENTED)
    (tree / "run.sh").write_text("#!/bin/sh\n# accelport: retain -- by hand\necho cuda # accelport: retain -- tail\n")
    (tree / "accelport.toml").write_text('platforms = ["musa"]\n')
    commit(tree)
    written(run)
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "ported")


def test_shows_then_removes(run: Run, tree: Path) -> None:
    prepared(run, tree)
    before = contents(tree)
    shown = run("port", ".", "--eject")
    assert shown.returncode == 1
    assert contents(tree) == before
    assert "remove file accelport.toml" in shown.stdout
    assert "run.sh:2: echo cuda # accelport: retain -- tail" in shown.stdout
    result = run("port", ".", "--eject", "--write")
    assert result.returncode == 0, result.stderr
    assert not (tree / ".accelport").exists() and not (tree / "accelport.toml").exists()
    assert (tree / "a.py").read_bytes() == COMMENTED.replace(b"  # accelport: retain -- one card", b"").replace(
        b"# accelport: ignore -- a name\r\n", b""
    )
    assert "# accelport: retain -- by hand" not in (tree / "run.sh").read_text()
    helper = (tree / "accelerator.py").read_bytes()
    assert helper == before["accelerator.py"][0]
    assert b"accelport" not in helper.lower()
    assert run("port", "--revert").returncode == 2
    git(tree, "checkout", "-q", ".")
    assert {k: v for k, v in contents(tree).items() if "/journal/" not in k} == {
        k: v for k, v in before.items() if "/journal/" not in k
    }


def test_nothing_to_remove(run: Run, tree: Path) -> None:
    result = run("port", ".", "--eject", "--write")
    assert result.returncode == 0
    assert "nothing to remove" in result.stdout


def test_a_dirty_tree_is_refused(run: Run, tree: Path) -> None:
    prepared(run, tree)
    (tree / "README.md").write_text("changed\n")
    before = contents(tree)
    result = run("port", ".", "--eject", "--write")
    assert result.returncode == 2
    assert "README.md" in result.stderr
    assert contents(tree) == before
    assert run("port", ".", "--eject", "--write", "--allow-dirty").returncode == 0
    assert (tree / "README.md").read_text() == "changed\n"


def test_outside_of_git_it_must_be_asked_for(run: Run, tree: Path) -> None:
    written(run)
    assert run("port", ".", "--eject", "--write").returncode == 2
    assert (tree / ".accelport").exists()
    assert run("port", ".", "--eject", "--write", "--allow-dirty").returncode == 0
    assert not (tree / ".accelport").exists()


def test_wrong_usage(run: Run, tree: Path) -> None:
    for other in ("--revert", "--commits", "--json"):
        assert run("port", ".", "--eject", other).returncode == 64


def test_force_reverts_what_was_changed_since(run: Run, tree: Path) -> None:
    before = contents(tree)
    written(run)
    (tree / "train.py").write_text("mine\n")
    (tree / "accelerator.py").unlink()
    assert run("port", "--revert").returncode == 2
    assert (tree / "train.py").read_text() == "mine\n"
    result = run("port", "--revert", "--force")
    assert result.returncode == 0, result.stderr
    assert contents(tree) == before


def test_force_writes_the_helper_anew(run: Run, tree: Path) -> None:
    written(run)
    helper = tree / "accelerator.py"
    original = helper.read_text()
    helper.write_text(original.replace("def device_count", "def device_count_of_mine") + "# mine\n")
    (tree / "b.py").write_text("import torch\nn = torch.cuda.device_count()\nx = torch.cuda.empty_cache()\n")
    assert "changed by hand" in port(run).stdout
    written(run)
    assert "# mine" in helper.read_text()
    result = port(run, "--force", "--write")
    assert result.returncode in (0, 1), result.stderr
    text = helper.read_text()
    assert "# mine" not in text and "def empty_cache" in text and "def device_count()" in text
    assert "accelerator.empty_cache()" in (tree / "b.py").read_text()


def test_the_journal_keeps_twenty_ports(run: Run, tree: Path) -> None:
    for number in range(23):
        (tree / f"f{number}.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
        written(run, "--only", f"f{number}.py")
    names = sorted(p.name for p in (tree / ".accelport/journal").iterdir() if p.is_dir())
    assert names == [f"{n:04}" for n in range(4, 24)]
    assert run("port", "--revert").returncode == 0
    assert "accelerator" not in (tree / "f22.py").read_text()
