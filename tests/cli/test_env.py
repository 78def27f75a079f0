"""`accelport env` on this machine, and its look at requirements."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from program import ROOT, Run

SCHEMA = json.loads((ROOT / "docs/schemas/env.schema.json").read_text())


def harmful(run: Run, path: str) -> list[tuple[str, int, str]]:
    done = run("env", "--requirements", path, "--json")
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    rows = [(row["path"], row["line"], row["kind"]) for row in report["requirements"]["harmful"]]
    assert done.returncode == (1 if rows or report["requirements"]["problems"] else 0)
    return rows


def test_lines_that_harm_the_vendors_torch(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(
        "numpy\n"
        "torch==2.7.1+cu121\n"
        "torchvision>=0.15 ; python_version < '3.13'\n"
        "--extra-index-url https://download.pytorch.org/whl/cu121\n"
        "nvidia-cublas-cu12==12.1.3.1\n"
        "Triton\n"
        "cupy_cuda12x\n"
        "onnxruntime-gpu\n"
        "xformers # attention\n"
        "flash-attn --no-build-isolation\n"
        "torch @ https://download.pytorch.org/whl/cu121/torch-2.1.0-cp310-cp310-linux_x86_64.whl\n"
        "https://download.pytorch.org/whl/cu118/torch-2.0.0%2Bcu118-cp310-cp310-linux_x86_64.whl\n"
        "accelerate[rich]>=1 \\\n    --hash=sha256:00\n"
        "torch \\\n  >= 2\n"
        "# torch==1\n"
        "torchmetrics\npytorch-lightning\nonnxruntime\nnvidia_ml_py\n"
    )
    assert harmful(run, "r.txt") == [
        ("r.txt", 2, "torch"),
        ("r.txt", 3, "companion"),
        ("r.txt", 4, "index"),
        ("r.txt", 5, "nvidia"),
        ("r.txt", 6, "cuda-kernels"),
        ("r.txt", 7, "nvidia"),
        ("r.txt", 8, "cuda-build"),
        ("r.txt", 9, "cuda-kernels"),
        ("r.txt", 10, "cuda-kernels"),
        ("r.txt", 11, "torch"),
        ("r.txt", 12, "torch"),
        ("r.txt", 15, "torch"),
        ("r.txt", 21, "nvidia"),
    ]
    report = json.loads(run("env", "--requirements", "r.txt", "--json").stdout)
    assert report["requirements"]["safe"] == [
        "numpy",
        "accelerate[rich]>=1 --hash=sha256:00",
        "torchmetrics",
        "pytorch-lightning",
        "onnxruntime",
    ]


def test_included_files_are_read_below_the_folder_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("torch\n")
    inner = tmp_path / "repo" / "parts"
    inner.mkdir(parents=True)
    (inner / "gpu.txt").write_text("-c limits.txt\ncupy\n-r ../all.txt\n")
    (inner / "limits.txt").write_text("torch==2.1\n")
    (tmp_path / "repo" / "all.txt").write_text(
        "-r parts/gpu.txt\n-r ../outside.txt\n-r https://x.example/r.txt\n-rgone.txt\n"
    )
    assert [row[:2] for row in harmful(run, "repo/all.txt")] == [
        ("repo/parts/limits.txt", 1),
        ("repo/parts/gpu.txt", 2),
    ]
    problems = json.loads(run("env", "--requirements", "repo/all.txt", "--json").stdout)["requirements"]["problems"]
    assert [line.split(": ", 1) for line in problems] == [
        ["repo/all.txt:2", "../outside.txt: lies outside the folder and was not read"],
        ["repo/all.txt:3", "https://x.example/r.txt: lies elsewhere and was not read"],
        ["repo/all.txt:4", "gone.txt: cannot be read"],
    ]


def test_a_clean_list_is_clean(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("numpy\ntransformers>=4.40\n--index-url https://pypi.org/simple\n")
    assert harmful(run, "r.txt") == []
    assert "nothing in it replaces the vendor's torch" in run("env", "--requirements", "r.txt").stdout


def test_wrong_usage_and_what_cannot_be_done(run: Run) -> None:
    simulated = run("env", "--on", "sim:musa:2")
    assert simulated.returncode == 64 and "--on musa for the real card" in simulated.stderr
    assert run("env", "--on", "mesa").returncode == 64
    assert run("env", "--requirements", "gone.txt").returncode == 2


@pytest.mark.parametrize("target", ["cpu", "cuda", "musa"])
def test_this_machine_gets_an_answer(target: str, run: Run, tmp_path: Path) -> None:
    """Nothing that lies in the current folder is run or imported."""
    for name in ("torch.py", "platform.py", "site.py"):
        (tmp_path / name).write_text("import pathlib\npathlib.Path('ran').touch()\n")
    done = run("env", "--on", target, "--json", env={"PYTHONPATH": str(tmp_path), "PATH_EXTRA": "."})
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    assert report["target"] == target
    assert report["facts"]["torch.python"]
    assert not (tmp_path / "ran").exists()
    assert done.returncode in (0, 1)
    assert "python-path" in {finding["id"] for finding in report["findings"]}


def script_facts(tmp_path: Path, plug_in: str) -> tuple[dict[str, str], int]:
    """What the script says of a plug-in with this source; torch is the real one."""
    pytest.importorskip("torch")
    (tmp_path / "torch_invented.py").write_text(plug_in)
    done = subprocess.run(
        [
            sys.executable,
            "-B",
            "-X",
            "faulthandler",
            "-",
            "plug_in=torch_invented",
            "device=invented",
            "packages=torch",
        ],
        input=(ROOT / "data/probe_torch.py").read_text(),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line), done.returncode


def test_the_script_says_the_cause_behind_an_import_error(tmp_path: Path) -> None:
    facts, code = script_facts(
        tmp_path,
        "try:\n    raise OSError('libinvented.so.4: cannot open shared object file')\n"
        "except OSError as error:\n    raise ImportError('Please try running Python from a different directory!') from error\n",
    )
    assert code == 0
    assert facts["plug_in.loaded"] == "no"
    assert facts["plug_in.error"] == "ImportError: Please try running Python from a different directory!"
    assert facts["plug_in.cause"] == "OSError: libinvented.so.4: cannot open shared object file"
    assert facts["stage"] == "end"


def test_the_script_keeps_what_it_found_before_a_crash(tmp_path: Path) -> None:
    facts, code = script_facts(tmp_path, "import ctypes\nctypes.string_at(0)\n")
    assert code == -11
    assert facts["stage"] == "import torch_invented"
    assert facts["sum"] == "6.0" and facts["version"]
    assert "plug_in.loaded" not in facts
