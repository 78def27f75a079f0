#!/usr/bin/env python3
"""Lays a commit of a public repository out as plain files, from a local mirror or a clone.

A mirror is a folder with bare repositories as OWNER+NAME/repo, OWNER/NAME.git or OWNER/NAME; without one the repository is
cloned from github.com. Nothing of the repository runs: files come out of `git cat-file`, so no filter, hook or
attribute acts on them. Objects that a partial mirror lacks are reported and left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "accelport" / "repositories"


def git(git_dir: Path, *arguments: str, data: bytes | None = None) -> bytes:
    """Runs a plumbing command of git on a bare repository and returns its output."""
    command = ["git", f"--git-dir={git_dir}", "-c", "core.fsmonitor=false", *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def find_repository(name: str, mirror: Path | None) -> Path:
    """The bare repository of "owner/name": in the mirror, in the cache, or cloned into it."""
    owner, repository = name.split("/")
    if mirror is not None:
        for folder in (f"{owner}+{repository}/repo", f"{owner}/{repository}.git", f"{owner}/{repository}"):
            if (mirror / folder / "HEAD").exists():
                return mirror / folder
        raise FileNotFoundError(f"{name} is not in {mirror}")
    target = CACHE / f"{owner}+{repository}.git"
    if not target.exists():
        url = f"https://github.com/{name}.git"
        subprocess.run(["git", "clone", "--quiet", "--bare", url, str(target)], check=True)
    return target


def blobs(git_dir: Path, commit: str) -> list[tuple[str, str, str]]:
    """(mode, object, path) of every regular file of a commit."""
    rows = []
    for row in git(git_dir, "ls-tree", "-r", "-z", commit).split(b"\0"):
        if not row:
            continue
        head, path = row.split(b"\t", 1)
        mode, kind, name = head.decode().split()
        if kind == "blob" and mode != "120000":
            rows.append((mode, name, os.fsdecode(path)))
    return rows


def lay_out(name: str, commit: str, target: Path, mirror: Path | None) -> Path:
    """Writes the files of `commit` below `target`/owner+name@commit and returns that folder; done once."""
    folder = target / f"{name.replace('/', '+')}@{commit[:12]}"
    marker = folder.with_suffix(folder.suffix + ".complete")
    if marker.exists():
        return folder
    git_dir = find_repository(name, mirror)
    rows = blobs(git_dir, commit)
    output = git(git_dir, "cat-file", "--batch", data="".join(f"{name}\n" for _, name, _ in rows).encode())
    at = 0
    for _, _, path in rows:
        end = output.index(b"\n", at)
        words = output[at:end].split()
        at = end + 1
        if len(words) != 3 or words[1] != b"blob":
            print(f"missing in the mirror: {path}", file=sys.stderr)
            continue
        size = int(words[2])
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(output[at : at + size])
        at += size + 1
    marker.touch()
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", help="owner/name")
    parser.add_argument("commit")
    parser.add_argument("--mirror", type=Path, default=os.environ.get("ACCELPORT_MIRROR"))
    parser.add_argument("--into", type=Path, default=CACHE / "files")
    arguments = parser.parse_args()
    mirror = Path(arguments.mirror) if arguments.mirror else None
    print(lay_out(arguments.repository, arguments.commit, arguments.into, mirror))


if __name__ == "__main__":
    main()
