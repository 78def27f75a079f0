"""A repository at its commit as a git work tree of its own, which the checks of `port` may change."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support import PROGRAM, repository

TABLE = Path(__file__).resolve().parents[1] / "port_repositories.tsv"
PLATFORM = "musa"
OWN_FOLDER = ".accelport"
# Nothing of the user's own set-up reaches the scratch work tree.
GIT = ["git", "-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"]
IDENTITY = ["-c", "user.name=check", "-c", "user.email=check@example.org"]


def table() -> list[tuple[str, str]]:
    """(owner/name, commit) of the repositories that the port is shown on."""
    return [(name, commit) for name, commit in (row.split("\t") for row in TABLE.read_text().splitlines()[1:])]


@dataclass(frozen=True)
class WorkTree:
    """A git work tree with one commit: the repository as it was."""

    root: Path

    @staticmethod
    def of(name: str, commit: str, target: Path) -> WorkTree | None:
        """The repository's files below `target`; None if they cannot be had."""
        files = repository(name, commit)
        return None if files is None else WorkTree.copied(files, target)

    @staticmethod
    def copied(files: Path, target: Path) -> WorkTree:
        shutil.copytree(files, target, symlinks=True)
        tree = WorkTree(target)
        tree.git("init", "-q")
        tree.git("add", "-A", "-f")
        tree.git(*IDENTITY, "commit", "-q", "--no-verify", "-m", "as it was")
        return tree

    def git(self, *arguments: str) -> str:
        command = [*GIT, "-C", str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout

    def run(self, verb: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, verb, str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")

    def report(self, verb: str, *arguments: str) -> dict:
        """The JSON report of a verb; it may have findings, but must have done its work."""
        result = self.run(verb, *arguments, "--json", "-q")
        if result.returncode not in (0, 1):
            raise RuntimeError(f"{verb} {' '.join(arguments)}: exit code {result.returncode}: {result.stderr[:500]}")
        return json.loads(result.stdout)

    def port(self, *arguments: str) -> dict:
        return self.report("port", "--to", PLATFORM, *arguments)

    def revert(self) -> None:
        result = self.run("port", "--revert", "-q")
        if result.returncode not in (0, 1):
            raise RuntimeError(f"port --revert: exit code {result.returncode}: {result.stderr[:500]}")

    def snapshot(self) -> dict[str, tuple[int, str]]:
        """Mode and contents of every file, but for git's and the tool's own folder."""
        files: dict[str, tuple[int, str]] = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in (".git", OWN_FOLDER)]
            for path in (Path(folder, name) for name in names):
                link = path.is_symlink()
                data = os.fsencode(path.readlink()) if link else path.read_bytes()
                files[str(path.relative_to(self.root))] = (path.lstat().st_mode, hashlib.sha256(data).hexdigest())
        return files
