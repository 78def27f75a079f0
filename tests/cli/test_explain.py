"""`accelport explain`, help and completion."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from program import Run


def test_api(run: Run) -> None:
    result = run("explain", "torch.cuda.mem_get_info")
    assert result.returncode == 0
    assert "torch.musa.mem_get_info" in result.stdout and "source" in result.stdout


def test_api_as_json(run: Run) -> None:
    report = json.loads(run("explain", "torch.cuda.is_available", "--json").stdout)
    (platform,) = [p for p in report["platforms"] if p["platform"] == "musa"]
    assert platform["row"]["target"] == "torch.musa.is_available" and platform["facts"]


def test_a_name_that_nobody_knows_gets_suggestions(run: Run) -> None:
    result = run("explain", "torch.cuda.mem_get_inf")
    assert result.returncode == 2 and "did you mean" in result.stderr and "torch.cuda.mem_get_info" in result.stderr


def test_a_line(run: Run, tree: Path) -> None:
    result = run("explain", "train.py:5")
    assert result.returncode == 0
    assert "torch.cuda.is_available" in result.stdout and "device-selection" in result.stdout
    assert run("explain", "train.py:1").returncode == 2


def test_an_id(run: Run, tree: Path) -> None:
    report = json.loads(run("audit", ".", "--json").stdout)
    wanted = next(o for o in report["occurrences"] if o["api"] == "torch.cuda.is_available")
    result = run("explain", wanted["id"])
    assert result.returncode == 0 and "train.py:5" in result.stdout
    assert run("explain", "0" * 16).returncode == 2


def test_help_has_examples(run: Run) -> None:
    for verb in ((), ("audit",), ("explain",), ("completion",)):
        result = run(*verb, "--help")
        assert result.returncode == 0 and "xample" in result.stdout
    assert run().returncode == 0
    assert run("--version").stdout.startswith("accelport ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    script = run("completion", shell).stdout
    assert "audit" in script and "reconcile" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_quiet_leaves_out_where_it_is_from(run: Run) -> None:
    assert "source" in run("explain", "torch.cuda.mem_get_info").stdout
    assert "source" not in run("explain", "torch.cuda.mem_get_info", "--quiet").stdout


def test_a_rule(run: Run) -> None:
    result = run("explain", "availability")
    assert result.returncode == 0 and "device-selection/abstract" in result.stdout


def test_an_unknown_platform_is_named(run: Run) -> None:
    result = run("explain", "torch.cuda.mem_get_info", "--to", "nonsense")
    assert result.returncode == 64 and "nonsense" in result.stderr and "known:" in result.stderr
