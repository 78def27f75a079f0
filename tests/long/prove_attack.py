#!/usr/bin/env python3
"""`prove` attacked: ten public repositories are ported; the ports are to be proven identical, a thousand and more wrong
edits of them are not.

    prove_attack.py [--rounds N] [--seed N] [--only REPOSITORY] [--keep FOLDER]

An edit is one place of one file (support/mutate). Each round edits every ported file once and asks for one proof of the
tree, which must report each of these files. The helper itself is edited in a tree of many small folders."""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from support import PROGRAM, ROOT, finish, repository, skip
from support.mutate import KINDS, mutate, parsed

TABLE = Path(__file__).with_name("ported_repositories.tsv")
PROVEN = ("identical", "added", "helper", "beside")
LEAST = 1000
LEAST_OF_A_KIND = 30
# The kinds that must be there in number: each gets rounds of its own, in which every file is edited that has a place.
NAMED = {
    "dropped argument": ("dropped-argument",),
    "swapped branch": ("swapped-branches",),
    "lost index": ("lost-index", "other-index"),
    "deleted line": ("deleted-line",),
    "wrong helper": ("wrong-helper",),
    "evaluation time": ("default-in-the-body", "asked-at-import", "asked-as-default", "global-into-function"),
}
GIT = (
    "git",
    "-c",
    "user.name=test",
    "-c",
    "user.email=test@example.org",
    "-c",
    "core.autocrlf=false",
    "-c",
    "gc.auto=0",
)
# Ports that are not identical, and why.
EXCEPTIONS: dict[str, dict[str, str]] = {}


def platform() -> str:
    """Any platform that is ported to."""
    return next(p.name for p in sorted((ROOT / "data/platforms").iterdir()) if (p / "profile.toml").exists())


def run(*command: str, cwd: Path) -> bytes:
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')[:500]}")
    return done.stdout


def commit(folder: Path) -> None:
    """A repository whose one commit is the folder as it is, whatever its .gitignore says."""
    run(*GIT, "init", "-q", cwd=folder)
    run(*GIT, "add", "-A", "-f", cwd=folder)
    run(*GIT, "commit", "-q", "-m", "original", cwd=folder)


def prove(folder: Path) -> dict[str, dict]:
    """The files that `prove` lists, by path."""
    report = json.loads(run(PROGRAM, "prove", str(folder), "--base", "HEAD", "--json", cwd=folder))
    rows = {row["path"]: row for row in report["files"] if isinstance(row["path"], str)}
    proven = all(row["status"] in PROVEN for row in report["files"])
    if report["identical"] != proven:
        raise RuntimeError("the verdict is not that of the files")
    return rows


def original(folder: Path, path: str) -> str:
    return run("git", "show", f"HEAD:{path}", cwd=folder).decode("utf-8", "surrogateescape")


def gives_back(before: str, after: str, edited: str) -> bool:
    """Whether the edit is none but one place of the port taken back: then the text is right with CUDA, as it was."""
    tree = parsed(edited)
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    for tag, i, k, m, n in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        back = parsed("".join([*new[:m], *old[i:k], *new[n:]])) if tag != "equal" else None
        if tree is not None and back is not None and ast.dump(tree) == ast.dump(back):
            return True
    return False


@dataclass
class Attack:
    seed: int
    made: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    misses: list[tuple[str, str, str]] = field(default_factory=list)  # where, ported, edited
    undone: int = 0  # edits that only gave back what stood there before the port

    def note(self, kind: str, reported: bool, where: str, ported: str, edited: str) -> None:
        self.made[kind] += 1
        if not reported:
            self.missed[kind] += 1
            self.problems.append(f"{where}: {kind} is called identical")
            self.misses.append((f"{kind} {where}", ported, edited))

    def edit(
        self, name: str, folder: Path, label: str, texts: dict[str, str], edited: dict[str, tuple[str, str]]
    ) -> None:
        """Asks for one proof of the tree in which these files are edited."""
        for path, (_, text) in edited.items():
            (folder / path).write_text(text, encoding="utf-8", errors="surrogateescape")
        rows = prove(folder)
        for path, (kind, text) in edited.items():
            reported = path in rows and rows[path]["status"] not in PROVEN
            (folder / path).write_text(texts[path], encoding="utf-8", errors="surrogateescape")
            if not reported and gives_back(original(folder, path), texts[path], text):
                self.undone += 1
                continue
            self.note(kind, reported, f"{name}/{path} ({label})", texts[path], text)

    def rounds(self, name: str, folder: Path, count: int) -> None:
        texts = {}
        for path, row in sorted(prove(folder).items()):
            if row["status"] == "identical" and path.endswith(".py"):
                text = (folder / path).read_text(encoding="utf-8", errors="surrogateescape")
                if parsed(text) is not None and "\r" not in text:
                    texts[path] = text
        rng = random.Random(f"{self.seed} {name}")
        for number in range(count):
            edited: dict[str, tuple[str, str]] = {}
            for path in texts:
                for kind in rng.sample(KINDS, 6):
                    result = mutate(texts[path], kind, rng.randrange(1 << 32))
                    if result is not None:
                        edited[path] = (kind, result)
                        break
            self.edit(name, folder, f"round {number}", texts, edited)
        for kind in (kind for kinds in NAMED.values() for kind in kinds):
            results = {path: mutate(text, kind, rng.randrange(1 << 32)) for path, text in texts.items()}
            edited = {path: (kind, text) for path, text in results.items() if text is not None}
            if edited:
                self.edit(name, folder, f"round of {kind}", texts, edited)

    def edited_helpers(self, helper: str, count: int) -> None:
        """Each folder has a helper with one wrong edit and a file that uses it."""
        with tempfile.TemporaryDirectory() as place:
            tree = Path(place)
            edits: dict[str, tuple[str, str]] = {}
            rng = random.Random(f"{self.seed} helper")
            while len(edits) < count:
                kind = rng.choice(KINDS)
                text = mutate(helper, kind, rng.randrange(1 << 32))
                if text is not None:
                    edits[f"m{len(edits)}"] = (f"helper: {kind}", text)
            for name in edits:
                (tree / name).mkdir()
                (tree / name / "use.py").write_text("import torch\nx = 'cuda'\n")
            commit(tree)
            for name, (_, text) in edits.items():
                (tree / name / "accelerator.py").write_text(text)
                (tree / name / "use.py").write_text(
                    "import torch\nimport accelerator\nx = accelerator.accelerator_type()\n"
                )
            rows = prove(tree)
            for name, (kind, text) in edits.items():
                reported = all(rows[f"{name}/{f}.py"]["status"] not in PROVEN for f in ("accelerator", "use"))
                self.note(kind, reported, f"helper {name}", helper, text)


def ported(name: str, revision: str, work: Path) -> Path | None:
    source = repository(name, revision)
    if source is None:
        return None
    folder = work / name.replace("/", "+")
    shutil.copytree(source, folder, symlinks=True)
    commit(folder)
    run(PROGRAM, "port", str(folder), "--to", platform(), "--write", "-q", cwd=folder)
    return folder


def check_port(name: str, rows: dict[str, dict], problems: list[str]) -> str:
    statuses = Counter(row["status"] for row in rows.values())
    for path, row in rows.items():
        if row["status"] not in PROVEN:
            reason = EXCEPTIONS.get(name, {}).get(path)
            if reason is None:
                problems.append(f"{name}/{path}: the port is {row['status']}: {row['differences'][:3]}")
    return ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=0, help="for each repository; 0: as many as the total needs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="a part of a repository's name")
    parser.add_argument("--keep", type=Path, help="where to put the edits that were called identical")
    options = parser.parse_args()
    attack = Attack(options.seed)
    helper = ""
    with tempfile.TemporaryDirectory() as place:
        for name, revision in (row.split("\t") for row in TABLE.read_text().splitlines()[1:]):
            if options.only and options.only not in name:
                continue
            folder = ported(name, revision, Path(place))
            if folder is None:
                continue
            rows = prove(folder)
            print(f"{name:<32} {revision[:12]}  {check_port(name, rows, attack.problems)}", flush=True)
            helpers = [path for path, row in rows.items() if row["status"] == "helper"]
            helper = max([helper, *((folder / path).read_text() for path in helpers)], key=len)
            few = sum(row["status"] == "identical" for row in rows.values()) < 20
            attack.rounds(name, folder, options.rounds or (12 if few else 4))
            shutil.rmtree(folder)
    if not helper:
        skip("none of the repositories can be had: no network, and ACCELPORT_MIRROR names no mirror")
    attack.edited_helpers(helper, 300)
    for kind in sorted(attack.made):
        print(f"{kind:<44} {attack.made[kind]:>5} edits, {attack.missed[kind]:>3} called identical")
    total = attack.made.total()
    print(
        f"{'all':<44} {total:>5} edits, {attack.missed.total():>3} called identical (seed {options.seed})", flush=True
    )
    print(f"{attack.undone} more edits only took one place of the port back, which is right with CUDA", flush=True)
    for title, kinds in {
        **NAMED,
        "edited helper body": tuple(k for k in attack.made if k.startswith("helper: ")),
    }.items():
        made = sum(attack.made[kind] for kind in kinds)
        print(f"{title:<44} {made:>5} edits, {sum(attack.missed[kind] for kind in kinds):>3} called identical")
        if made < LEAST_OF_A_KIND and not options.only:
            attack.problems.append(f"{title}: only {made} edits were made, {LEAST_OF_A_KIND} are asked for")
    if total < LEAST and not options.only:
        attack.problems.append(f"only {total} edits were made, {LEAST} are asked for")
    for number, (where, before, after) in enumerate(attack.misses if options.keep else []):
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"{number}.where").write_text(where)
        (options.keep / f"{number}.before.py").write_text(before, errors="surrogateescape")
        (options.keep / f"{number}.after.py").write_text(after, errors="surrogateescape")
    finish(attack.problems)


if __name__ == "__main__":
    main()
