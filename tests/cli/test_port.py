"""What a user of `accelport port` relies on: the shown difference, all-or-nothing writes, going back, refusals."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
from program import ROOT, Run

GIT_SETTINGS = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(tree: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    result = subprocess.run(
        ["git", "-C", str(tree), *arguments],
        env={**os.environ, **GIT_SETTINGS},
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def commit(tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "x")


def contents(tree: Path) -> dict[str, tuple[bytes, int]]:
    files = (p for p in tree.rglob("*") if p.is_file() and ".git" not in p.relative_to(tree).parts)
    return {str(p.relative_to(tree)): (p.read_bytes(), p.stat().st_mode) for p in files}


def without_records(files: dict[str, tuple[bytes, int]]) -> dict[str, tuple[bytes, int]]:
    return {path: entry for path, entry in files.items() if not path.startswith(".accelport/")}


def port(run: Run, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run("port", ".", "--to", "musa", *arguments)


def written(run: Run, *arguments: str) -> None:
    result = port(run, "--write", *arguments)
    assert result.returncode in (0, 1), result.stderr


def test_shows_and_writes_nothing(run: Run, tree: Path) -> None:
    before = contents(tree)
    result = port(run)
    assert result.returncode == 1
    assert "settled" in result.stdout
    assert "\x1b" not in result.stdout
    assert contents(tree) == before


def test_writes_reverts_and_finds_nothing_the_second_time(run: Run, tree: Path) -> None:
    commit(tree)
    (tree / "train.py").chmod(0o755)
    before = contents(tree)
    written(run)
    after = contents(tree)
    assert without_records(after) != before
    assert after["train.py"][1] & 0o777 == 0o755
    second = port(run, "--write")
    assert "nothing to change" in second.stdout
    assert contents(tree) == after
    assert b".accelport/journal" not in git(tree, "status", "--porcelain", "-uall")
    assert run("port", "--revert").returncode == 0
    assert contents(tree) == before
    assert not (tree / ".accelport").exists()
    assert run("port", "--revert").returncode == 2


def test_patch_gives_what_write_gives(run: Run, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (tree / "odd name\tü.py").write_bytes(b"import torch\r\n\r\nx = x.cuda()\r\ny = 'cuda'")
    (tree / "dos.py").write_bytes(b"import torch\r\nx = x.cuda()\r\n")
    commit(tree)
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", str(tree), "c")
    patch = tree.parent / f"{tree.name}.patch"
    assert port(run, "--format", "patch", "-o", str(patch)).returncode == 1
    git(clone / "c", "apply", str(patch))
    patch.unlink()
    written(run)
    assert {k: v[0] for k, v in contents(clone / "c").items()} == {
        k: v[0] for k, v in without_records(contents(tree)).items()
    }


def test_json(run: Run, tree: Path) -> None:
    report = json.loads(port(run, "--json").stdout)
    jsonschema.validate(report, json.loads((ROOT / "docs/schemas/port.schema.json").read_text(encoding="utf-8")))
    assert report["summary"]["files"] == len(report["files"])
    assert report["written"] is False
    assert {file["path"] for file in report["files"]} >= {"train.py"}


def test_decisions_are_kept_and_decide_nothing(run: Run, tree: Path) -> None:
    commit(tree)
    head = git(tree, "rev-parse", "HEAD").decode().strip()
    written(run)
    rows = [json.loads(line) for line in (tree / ".accelport/decisions.jsonl").read_text().splitlines()]
    assert rows
    schema = json.loads((ROOT / "docs/schemas/decision.schema.json").read_text(encoding="utf-8"))
    for row in rows:
        jsonschema.validate(row, schema)
    assert all(row["who"] == "rule" and row["base"] == head for row in rows)
    assert {row["outcome"] for row in rows} <= {"settled", "left"}
    report = json.loads(run("audit", ".", "--json").stdout)
    assert all(o["rule"] != "decisions.jsonl" for o in report["occurrences"])


def test_a_dirty_tree_is_refused(run: Run, tree: Path) -> None:
    commit(tree)
    (tree / "README.md").write_text("changed\n")
    before = contents(tree)
    result = port(run, "--write")
    assert result.returncode == 2
    assert "README.md" in result.stderr
    assert contents(tree) == before
    written(run, "--allow-dirty")


def test_an_untracked_file_is_not_written(run: Run, tree: Path) -> None:
    commit(tree)
    (tree / "new.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    result = port(run, "--write")
    assert result.returncode == 2
    assert "new.py" in result.stderr


def test_outside_of_git_the_journal_keeps_the_originals(run: Run, tree: Path) -> None:
    before = contents(tree)
    written(run)
    assert run("port", "--revert").returncode == 0
    assert contents(tree) == before


def test_revert_names_what_has_changed(run: Run, tree: Path) -> None:
    written(run)
    with (tree / "train.py").open("a") as file:
        file.write("# mine\n")
    before = contents(tree)
    result = run("port", "--revert")
    assert result.returncode == 2
    assert "train.py" in result.stderr
    assert contents(tree) == before


def test_revert_leaves_a_persons_decisions(run: Run, tree: Path) -> None:
    written(run)
    mine = '{"id": "0123456789abcdef", "who": "person", "decision": "retain", "reason": "mine"}\n'
    with (tree / ".accelport/decisions.jsonl").open("a") as file:
        file.write(mine)
    assert run("port", "--revert").returncode == 0
    assert (tree / ".accelport/decisions.jsonl").read_text() == mine


@pytest.mark.parametrize("kind", ["hard link", "read-only"])
def test_files_that_must_not_be_written(run: Run, tree: Path, kind: str) -> None:
    if kind == "hard link":
        os.link(tree / "train.py", tree.parent / f"{tree.name}-other-name")
    else:
        (tree / "train.py").chmod(0o444)
    before = contents(tree)
    result = port(run, "--write")
    if result.returncode == 2:
        assert "train.py" in result.stderr
        assert contents(tree) == before
    else:
        assert contents(tree)["train.py"] == before["train.py"]


def test_an_interrupted_port_is_reported_by_others_and_finished_by_the_next(run: Run, tree: Path) -> None:
    written(run)
    after = contents(tree)
    journal = tree / ".accelport/journal/0001"
    names = [line.split(" ")[-1] for line in (journal / "applied").read_text().splitlines() if line.startswith("file")]
    k = names.index("train.py")
    (tree / "train.py").rename(journal / f"{k}.after")
    (tree / "train.py").write_bytes((journal / f"{k}.before").read_bytes())
    (journal / "applied").rename(journal / "apply")
    assert "interrupted" in run("audit", ".").stderr
    result = port(run)
    assert "finished" in result.stderr
    assert without_records(contents(tree)) == without_records(after)


def test_only(run: Run, tree: Path) -> None:
    (tree / "lib").mkdir()
    (tree / "lib/a.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    report = json.loads(port(run, "--json", "--only", "lib").stdout)
    assert {file["path"] for file in report["files"] if not file["created"]} == {"lib/a.py"}
    assert port(run, "--only", "no-such-thing").returncode == 64


@pytest.mark.parametrize(
    "arguments",
    [
        ["port", "."],
        ["port", ".", "--to", "nowhere"],
        ["port", ".", "--to", "musa", "--style", "nonsense"],
        ["port", ".", "--revert", "--write"],
        ["port", "train.py", "--to", "musa"],
    ],
)
def test_wrong_usage(run: Run, tree: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.returncode == 64
    assert result.stderr.startswith("accelport: ")


def test_hidden_characters_are_shown_not_sent(run: Run, tree: Path) -> None:
    (tree / "evil.py").write_bytes("import torch\nx = torch.zeros(1).cuda()  # \u202e\x1b[31m\n".encode())
    out = port(run).stdout
    assert "\u202e" not in out
    assert "\x1b" not in out


def test_patches_apply_whatever_the_lines_are(run: Run, tree: Path) -> None:
    """Random files of lines that change and lines that do not, with every kind of line end."""
    chance = random.Random(7)
    for number in range(40):
        end = chance.choice(["\n", "\r\n"])
        lines = [
            chance.choice(["", "x = 1", "\tpass", "y = torch.zeros(1).cuda()", "d = 'cuda'"]).lstrip("\t")
            for _ in range(chance.randint(1, 30))
        ]
        text = end.join(["import torch", *lines]) + chance.choice(["", end])
        (tree / f"file {number}.py").write_bytes(text.encode())
    commit(tree)
    target = tree.parent / f"{tree.name}.patch"
    assert port(run, "--format", "patch", "-o", str(target)).returncode == 1
    git(tree, "apply", str(target))
    target.unlink()
    from_patch = contents(tree)
    git(tree, "checkout", "-q", ".")
    git(tree, "clean", "-q", "-f", "-d")
    written(run)
    assert without_records(contents(tree)) == from_patch


def test_the_style_adapter_is_one_even_if_it_only_imports(run: Run, tree: Path) -> None:
    for path in tree.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)
    (tree / "only.py").write_text("import torch\n\ntorch.zeros(1).cuda()\n")
    commit(tree)
    before = (tree / "only.py").read_bytes()
    port(run, "--style", "adapter", "--write")
    assert "import torchada" in (tree / "only.py").read_text()
    assert "nothing to change" in port(run, "--style", "adapter", "--write", "--allow-dirty").stdout
    other = port(run, "--allow-dirty")
    assert other.returncode == 64
    assert "ported in the style 'adapter'" in other.stderr
    assert run("prove", ".").returncode == 0
    run("port", ".", "--revert")
    assert (tree / "only.py").read_bytes() == before


def test_one_style_at_a_time(run: Run, tree: Path) -> None:
    (tree / "requirements.txt").write_text("torch>=2.7\n")
    (tree / "only.py").write_text("import torch\n\nn = torch.cuda.current_device()\n")
    commit(tree)
    before = (tree / "only.py").read_bytes()
    port(run, "--style", "neutral", "--write")
    assert (tree / "only.py").read_text() == "import torch\n\nn = torch.accelerator.current_device_index()\n"
    assert not list(tree.rglob("accelerator.py"))
    assert "nothing to change" in port(run, "--style", "neutral", "--write", "--allow-dirty").stdout
    other = port(run, "--allow-dirty")
    assert other.returncode == 64
    assert "ported in the style 'neutral'" in other.stderr
    assert run("prove", ".").returncode == 0
    run("port", ".", "--revert")
    assert (tree / "only.py").read_bytes() == before
    port(run, "--write")
    neutral = port(run, "--style", "neutral", "--allow-dirty")
    assert neutral.returncode == 64
    assert "ported in the style 'helper'" in neutral.stderr
