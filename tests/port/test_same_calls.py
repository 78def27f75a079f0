"""Original and ported modules make the same calls with the same arguments on a recording torch with CUDA present."""

from __future__ import annotations

import difflib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from recording_torch import FIRST, environment
from render import render

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
DATA = tomllib.loads((HERE / "same_calls.toml").read_text())
CHOICES = range(4)
FAKE = ("*", "pynvml", "setuptools", "triton")
HELPERS = ("accelerator.py", "accelport_device.py")


@dataclass(frozen=True)
class Text:
    """One Python file before and after its port."""

    name: str
    before: Path
    after: Path
    path: str  # below both

    @property
    def changed(self) -> bool:
        return (self.before / self.path).read_bytes() != (self.after / self.path).read_bytes()


def goldens(folder: Path) -> Iterator[Text]:
    for case in sorted((HERE / "rewrite").iterdir()):
        before, after = folder / case.name / "before", folder / case.name / "after"
        for side, source in ((before, "in.py"), (after, "out.py")):
            side.mkdir(parents=True)
            shutil.copyfile(case / source, side / "example.py")
        text = (after / "example.py").read_text(errors="surrogateescape")
        name = HELPERS[1] if "accelport_device" in text else HELPERS[0]
        (after / name).write_text(render())
        yield Text(f"rewrite/{case.name}", before, after, "example.py")


def ported(tree: Path, folder: Path) -> Iterator[Text]:
    """The Python files of a tree, ported by the program."""
    name = tree.name
    before, after = folder / name / "before", folder / name / "after"
    shutil.copytree(tree, before, symlinks=True)
    shutil.copytree(tree, after, symlinks=True)
    command = [PROGRAM, "port", str(after), "--to", FIRST, "--write"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1), f"{name}: {done.stderr}"
    for path in sorted(before.rglob("*.py")):
        if path.is_file() and not path.is_symlink():
            relative = str(path.relative_to(before))
            yield Text(f"{name}/{relative}", before, after, relative)


def texts(folder: Path) -> Iterator[Text]:
    yield from goldens(folder)
    yield from ported(ROOT / "tests/hard", folder)
    for tree in sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir()):
        yield from ported(tree, folder)


def exercised(jobs: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(HERE / "recording_torch/exercise.py")],
        input=json.dumps(jobs),
        env=environment("cuda", folder / "plug-in", fake=FAKE),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(jobs)
    return rows


def lines(row: dict[str, Any]) -> list[str]:
    """The calls, one a line. A keyword that is given the function's own default says nothing, so it is left out."""
    calls = []
    for call in row["calls"]:
        keywords = dict(call.get("keywords", {}))
        for default in DATA["default"]:
            if call.get("call") == default["call"] and keywords.get(default["keyword"], "") == json.loads(
                default["json"]
            ):
                del keywords[default["keyword"]]
        calls.append(call | {"keywords": keywords} if keywords != call.get("keywords", {}) else call)
    return [json.dumps(call, sort_keys=True) for call in calls]


def difference(before: list[str], after: list[str]) -> str:
    return "\n".join(list(difflib.unified_diff(before, after, "before", "after", n=1, lineterm=""))[:20])


@dataclass
class Results:
    """All texts, and for each what the two sides recorded under each choice."""

    texts: list[Text]
    sides: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]]


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = list(texts(folder))
        jobs = [
            {"root": str(side), "path": text.path, "choice": choice}
            for text in found
            for choice in CHOICES
            for side in (text.before, text.after)
        ]
        rows = iter(exercised(jobs, folder))
        yield Results(found, {text.name: [(next(rows), next(rows)) for _ in CHOICES] for text in found})


def test_the_calls_are_the_same(results: Results) -> None:
    wrong: dict[str, str] = {}
    for text in results.texts:
        for choice, (before, after) in enumerate(results.sides[text.name]):
            if before["not_run"]:
                continue
            if after["not_run"] or lines(before) != lines(after):
                what = after["not_run"] or difference(lines(before), lines(after))
                wrong[text.name] = f"{text.name}, choice {choice}:\n{what}"
                break
    right = DATA["known_wrong"].keys() - wrong.keys()
    assert not right, f"right now, and to be taken out of same_calls.toml: {right}"
    assert wrong.keys() <= DATA["known_wrong"].keys(), "\n\n".join(wrong.values())


def test_what_is_not_run_is_listed_with_its_reason(results: Results) -> None:
    reasons = {name: sides[0][0]["not_run"] for name, sides in results.sides.items()}
    found = {name for name, reason in reasons.items() if reason}
    listed = set(DATA["not_run"])
    assert found == listed, {name: reasons.get(name, "there is no such text") for name in found ^ listed}


def test_enough_is_run(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    """Without this a test of nothing would pass."""
    run = [text for text in results.texts if not results.sides[text.name][0][0]["not_run"]]
    changed = [text for text in run if text.changed]
    calls = sum(len(before["calls"]) for text in run for before, _ in results.sides[text.name])
    with capsys.disabled():
        print(f"\nsame calls: {len(run)} of {len(results.texts)} texts run, {len(changed)} changed, {calls} events")
    assert len(run) >= DATA["minimum"]["run"]
    assert len(changed) >= DATA["minimum"]["changed"]
    empty = [text.name for text in changed if not any(before["calls"] for before, _ in results.sides[text.name])]
    assert not empty, "nothing at all was recorded"


def test_a_wrong_port_is_seen(tmp_path: Path) -> None:
    """The recording tells apart what a port must not mix up."""
    original = (
        "import torch\nx.cuda(1, non_blocking=True)\ntorch.cuda.synchronize()\nd = 'cuda:1'\ndef f(a='cuda'): pass\n"
    )
    right = (
        "import torch\nimport accelerator as H\nx.to(H.accelerator_device(1), non_blocking=True)\nH.synchronize()\n"
        "d = f'{H.accelerator_type()}:1'\ndef f(a=H.accelerator_type()): pass\n"
    )
    wrong = [
        right.replace("device(1)", "device()"),
        right.replace(", non_blocking=True", ""),
        right.replace("H.synchronize()", "H.empty_cache()"),
        right.replace("}:1", "}:0"),
        right.replace("a=H.accelerator_type()", "a=None"),
        right.replace("device(1)", "type()"),
    ]
    assert len({right, *wrong}) == len(wrong) + 1
    jobs = []
    for number, text in enumerate([original, right, *wrong]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "example.py").write_text(text)
        (folder / "accelerator.py").write_text(render())
        jobs.append({"root": str(folder), "path": "example.py", "choice": 0})
    first, second, *others = (lines(row) for row in exercised(jobs, tmp_path))
    assert first == second
    assert all(other != first for other in others)


@pytest.mark.parametrize(
    ("line", "violations"),
    [
        ("torch.cuda.synchronize()", ["torch.cuda"]),
        ("torch.zeros(3, device='cuda')", ["a device of type cuda"]),
        ("torch.zeros(3).to(torch.device('cuda', 0))", ["a device of type cuda"]),
        ("accelerator.synchronize(); torch.zeros(3, device=accelerator.accelerator_type())", []),
        ("torch.zeros(3).to(accelerator.accelerator_device(1)); accelerator.accelerator_module().Stream()", []),
        ("assert accelerator.device_count() == 2 and accelerator.is_available()", []),
    ],
)
def test_the_platform_mode_names_calls_of_cuda(line: str, violations: list[str], tmp_path: Path) -> None:
    (tmp_path / "accelerator.py").write_text(render())
    (tmp_path / "program.py").write_text(
        f"import sys\nimport torch\nimport accelerator\nassert sys.argv[1] == 'x'\n{line}\n"
    )
    log = tmp_path / "log.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "tests.port.recording_torch", "--mode", "platform", "--log", str(log),
         str(tmp_path / "program.py"), "x"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    calls = [json.loads(row) for row in log.read_text().splitlines()] if log.exists() else []
    assert [call["violation"] for call in calls if "violation" in call] == violations, done.stderr
    assert done.returncode == (3 if violations else 0), done.stderr
    if violations:
        assert "program.py:5" in done.stderr


@pytest.mark.parametrize("default", DATA["default"], ids=lambda row: f"{row['call']}({row['keyword']})")
def test_a_default_is_the_one_of_torch(default: dict[str, str]) -> None:
    torch = pytest.importorskip("torch")
    function = torch
    for name in default["call"].split(".")[1:]:
        function = getattr(function, name)
    assert inspect.signature(function).parameters[default["keyword"]].default == json.loads(default["json"])
