"""`accelport port --commits`: commits that stand alone, nothing of the user's in them, nothing half after a kill."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from program import TRAINER, Run
from test_port import GIT_SETTINGS, commit, contents, git, port, without_records

MORE = """import torch
import torch.distributed as dist


def setup(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank)
    torch.cuda.synchronize()
    return torch.zeros(1).cuda()
"""


@pytest.fixture
def repository(tree: Path) -> Path:
    """The trainer, a file with places of several categories, one that loses its only import of torch.cuda."""
    (tree / "more.py").write_text(MORE)
    (tree / "swap.py").write_text("from torch import cuda\nx = 'nccl'\ny = cuda.is_available()\ncuda.synchronize()\n")
    (tree / "dos.py").write_bytes(b"import torch\r\n\r\nx = torch.zeros(1).cuda()\r\n")
    commit(tree)
    return tree


def commits(run: Run, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return run("port", ".", "--to", "musa", "--commits", *arguments, env={**GIT_SETTINGS, **(env or {})})


def head(tree: Path) -> str:
    return git(tree, "rev-parse", "HEAD").decode().strip()


def series(tree: Path, base: str) -> list[str]:
    return git(tree, "rev-list", "--reverse", f"{base}..HEAD").decode().split()


def status(tree: Path) -> str:
    return git(tree, "status", "--porcelain", "-uall").decode()


def test_every_commit_stands_alone(run: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    base = head(repository)
    result = commits(run)
    assert result.returncode in (0, 1), result.stderr
    made = series(repository, base)
    assert len(made) >= 4
    assert f"{len(made)} commits made" in result.stderr
    assert status(repository) == ""
    clone = tmp_path_factory.mktemp("clone") / "c"
    git(repository, "clone", "-q", ".", str(clone))
    git(clone, "config", "core.autocrlf", "false")
    first = git(repository, "show", "--name-only", "--format=", made[0]).decode().split()
    assert first == ["accelerator.py"]
    for commit_name in made:
        git(clone, "checkout", "-q", commit_name)
        message = git(clone, "log", "-1", "--format=%B").decode()
        subject, empty, *body = message.splitlines()
        assert len(subject) <= 72 and empty == ""
        assert all(len(line) <= 72 or " " not in line.strip() for line in body)
        assert "CUDA is unchanged" in message
        for path in clone.glob("*.py"):
            compile(path.read_bytes(), str(path), "exec")
            text = path.read_text()
            assert path.name == "accelerator.py" or "accelerator." not in text or "import accelerator" in text, (
                f"{commit_name} {path.name}"
            )
        proof = run("prove", ".", "--base", base, cwd=clone)
        assert proof.returncode == 0, f"{subject}\n{proof.stdout}"
    assert {k: v[0] for k, v in contents(clone).items()} == {
        k: v[0] for k, v in contents(repository).items() if "/journal/" not in k
    }
    assert ".accelport/decisions.jsonl" in git(repository, "show", "--name-only", "--format=", made[-1]).decode()
    assert "nothing to change" in commits(run).stdout
    assert head(repository) == made[-1]


def test_categories_are_apart(run: Run, repository: Path) -> None:
    base = head(repository)
    commits(run)
    subjects = git(repository, "log", "--reverse", "--format=%s", f"{base}..HEAD").decode().splitlines()
    names = [re.sub(r"^Port (\S+) to .*", r"\1", s) for s in subjects[1:]]
    assert len(set(names)) == len(names)
    assert {"device-selection", "distributed"} <= set(names)
    for name, commit_name in zip(names, series(repository, base)[1:], strict=True):
        difference = git(repository, "show", "--format=", commit_name, "--", "more.py").decode()
        assert ("distributed_backend" in difference) == (name == "distributed")


def test_git_takes_it_back(run: Run, repository: Path) -> None:
    before, base = contents(repository), head(repository)
    commits(run)
    after = contents(repository)
    result = run("port", "--revert")
    assert result.returncode == 2
    hint = re.search(r"git (revert --no-edit \S+?);", result.stderr)
    assert hint is not None, result.stderr
    assert contents(repository) == after
    git(repository, *hint[1].split())
    assert without_records(contents(repository)) == without_records(before)
    assert git(repository, "rev-parse", f"{base}^{{tree}}") == git(repository, "rev-parse", "HEAD^{tree}")


def test_what_the_user_has_staged_stays_staged(run: Run, repository: Path) -> None:
    base = head(repository)
    (repository / "README.md").write_text("staged\n")
    (repository / "new.txt").write_text("new\n")
    git(repository, "add", "README.md", "new.txt")
    (repository / "README.md").write_text("later\n")
    assert commits(run).returncode == 2
    assert head(repository) == base
    result = commits(run, "--allow-dirty")
    assert result.returncode in (0, 1), result.stderr
    assert status(repository) == "MM README.md\nA  new.txt\n"
    assert git(repository, "show", ":README.md") == b"staged\n"
    changed = git(repository, "diff", "--name-only", base, "HEAD").decode()
    assert "README.md" not in changed and "new.txt" not in changed


@pytest.mark.parametrize("staged", [True, False])
def test_files_with_own_changes_are_not_committed(run: Run, repository: Path, staged: bool) -> None:
    base = head(repository)
    (repository / "more.py").write_text(MORE + "# mine\n")
    if staged:
        git(repository, "add", "more.py")
    before = contents(repository)
    result = commits(run, "--allow-dirty")
    assert result.returncode == 2
    assert "more.py" in result.stderr
    assert (head(repository), contents(repository)) == (base, before)


def spoil(tree: Path, how: str) -> tuple[str, dict[str, str]]:
    """Makes commits impossible; gives a word of the message and what the environment adds."""
    if how == "detached":
        git(tree, "checkout", "-q", "--detach")
        return "detached", {}
    if how == "merge":
        git(tree, "update-ref", "MERGE_HEAD", "HEAD")
        return "merge", {}
    if how == "rebase":
        (tree / ".git/rebase-merge").mkdir()
        return "rebase", {}
    if how == "filter":
        git(tree, "config", "filter.x.clean", f"touch {tree}/ran; cat")
        return "filter.x.clean", {}
    if how == "attribute":
        (tree / ".git/info/attributes").write_text("*.py filter=lfs\n")
        return "filter=lfs", {}
    nobody = dict.fromkeys(
        ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"], ""
    )
    return "user.name", nobody


@pytest.mark.parametrize("how", ["detached", "merge", "rebase", "filter", "attribute", "nobody"])
def test_refusals(run: Run, repository: Path, how: str) -> None:
    word, environment = spoil(repository, how)
    base, before = head(repository), contents(repository)
    result = commits(run, env=environment)
    assert result.returncode == 2
    assert word in result.stderr
    assert (head(repository), contents(repository)) == (base, before)


def test_a_trusted_repository_has_its_filters(run: Run, repository: Path) -> None:
    git(repository, "config", "filter.x.clean", "sed s/torch/TORCH/")
    git(repository, "config", "filter.x.smudge", "sed s/TORCH/torch/")
    (repository / ".gitattributes").write_text("more.py filter=x\n")
    git(repository, "add", "--renormalize", ".")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "filtered")
    result = commits(run, "--trust-repository", "--allow-dirty")
    assert result.returncode in (0, 1), result.stderr
    assert b"import TORCH" in git(repository, "show", "HEAD:more.py")
    assert status(repository) == ""


def test_hooks_and_signing_do_not_run(run: Run, repository: Path) -> None:
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        hook = repository / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {repository}/ran\nexit 1\n")
        hook.chmod(0o755)
    git(repository, "config", "commit.gpgSign", "true")
    git(repository, "config", "gpg.program", "/bin/false")
    base = head(repository)
    result = commits(run)
    assert result.returncode in (0, 1), result.stderr
    assert len(series(repository, base)) >= 4
    assert not (repository / "ran").exists()


def test_a_folder_of_a_repository(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "sub dir/ü"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(TRAINER)
    (tmp_path / "train.py").write_text(TRAINER)
    commit(tmp_path)
    base = head(tmp_path)
    result = run("port", str(folder), "--to", "musa", "--commits", env=GIT_SETTINGS)
    assert result.returncode in (0, 1), result.stderr
    names = git(tmp_path, "diff", "-z", "--name-only", base, "HEAD").decode().split("\0")[:-1]
    assert all(name.startswith("sub dir/ü/") for name in names) and len(names) == 3
    assert status(tmp_path) == ""


def test_line_ends_that_git_converts(run: Run, repository: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")
    for path in repository.glob("*.py"):
        path.unlink()
    git(repository, "checkout", "-q", ".")
    assert b"\r\n" in (repository / "more.py").read_bytes()
    result = commits(run)
    assert result.returncode in (0, 1), result.stderr
    assert b"\r" not in git(repository, "show", "HEAD:more.py")
    assert b"\r\n" in (repository / "more.py").read_bytes()


def test_an_ignored_decisions_file_is_not_committed(run: Run, repository: Path) -> None:
    (repository / ".gitignore").write_text(".accelport/\n")
    git(repository, "add", ".gitignore")
    git(repository, "commit", "-q", "-m", "ignore")
    commits(run)
    assert b".accelport" not in git(repository, "ls-files")
    assert (repository / ".accelport/decisions.jsonl").exists()


def test_a_later_change_is_ported_alone(run: Run, repository: Path) -> None:
    commits(run)
    (repository / "later.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "later")
    base = head(repository)
    result = commits(run)
    assert result.returncode in (0, 1), result.stderr
    changed = git(repository, "diff", "--name-only", base, "HEAD").decode().split()
    assert set(changed) <= {"later.py", ".accelport/decisions.jsonl", "accelerator.py"}
    assert "later.py" in changed


FAKE_GIT = """#!/bin/sh
n=$(($(cat {count}) + 1))
echo $n > {count}
if [ $n = {kill} ] && [ {when} = before ]; then kill -9 $PPID; exit 1; fi
{git} "$@"
code=$?
if [ $n = {kill} ] && [ {when} = behind ]; then kill -9 $PPID; fi
exit $code
"""


@pytest.mark.parametrize("when", ["before", "behind"])
def test_killed_at_any_call_of_git(
    run: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory, when: str
) -> None:
    """Every call of the end, where something is to be seen, and every fifth in front of it."""
    original, real = tmp_path_factory.mktemp("original") / "r", shutil.which("git")
    shutil.copytree(repository, original, symlinks=True)
    before, base = contents(repository), head(repository)
    tools = tmp_path_factory.mktemp("tools")

    def killed(number: int) -> int:
        shutil.rmtree(repository, ignore_errors=True)
        shutil.copytree(original, repository, symlinks=True)
        (tools / "count").write_text("0")
        fake = tools / "git"
        fake.write_text(FAKE_GIT.format(count=tools / "count", kill=number, when=when, git=real))
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        return commits(run, env={"PATH": f"{tools}:{os.environ['PATH']}"}).returncode

    assert killed(0) >= 0
    calls = int((tools / "count").read_text())
    seen = set()
    for number in [*range(1, calls - 6, 5), *range(calls - 6, calls + 1)]:
        assert killed(number) == -9
        made = series(repository, base)
        after = port(run)
        if made:
            assert status(repository) == "", number
            assert "nothing to change" in commits(run).stdout
            seen.add("index completed" if "index knows" in after.stderr else "committed")
        elif without_records(contents(repository)) != without_records(before):
            assert "none is committed" in after.stderr, number
            assert run("port", "--revert").returncode == 0
            assert contents(repository) == before
            assert commits(run).returncode in (0, 1)
            assert series(repository, base)
            seen.add("written")
        else:
            assert commits(run).returncode in (0, 1)
            assert len(series(repository, base)) >= 4
            assert status(repository) == ""
            seen.add("nothing")
    assert seen == {"nothing", "index completed"} | ({"written"} if when == "before" else set())


def test_json_names_the_commits(run: Run, repository: Path) -> None:
    result = commits(run, "--json")
    assert json.loads(result.stdout)["written"] is True
    assert head(repository)[:12] in result.stderr
