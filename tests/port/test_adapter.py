"""The block of the style `adapter` where a program starts: what it imports on each kind of machine."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from render import PROFILES, ROOT, TABLE

ADAPTER = TABLE["adapter"]
NOTES = {path.parent.name: path for path in (ROOT / "data/platforms").glob("*/adapter.toml")}


def test_modules_that_may_come_first_are_pythons_own() -> None:
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the list of standard modules is that of Python 3.11")
    assert set(ADAPTER["standard"]) <= sys.stdlib_module_names | {"__future__"}


@pytest.mark.parametrize("installed", [[], ["plug_in"], ["plug_in", "adapter"], ["adapter"]])
def test_the_adapter_is_imported_where_the_platform_is_installed(tmp_path: Path, installed: list[str]) -> None:
    for name in installed:
        (tmp_path / f"{name}.py").write_text(f"print({name!r})\n")
    block = ADAPTER["import"].replace("@plug_in@", "plug_in").replace("@adapter@", "adapter").replace("@title@", "X")
    (tmp_path / "program.py").write_text(block + "print('program')\n")
    run = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    if installed == ["plug_in"]:  # a machine of the platform without the adapter: never the CPU without a word
        assert "No module named 'adapter'" in run.stderr
        return
    wanted = installed if "plug_in" in installed else []
    assert (run.returncode, run.stdout.split()) == (0, [*wanted, "program"])


def test_a_plug_in_that_is_broken_says_so(tmp_path: Path) -> None:
    (tmp_path / "plug_in.py").write_text("raise ImportError('libplug.so: cannot open shared object file')\n")
    block = ADAPTER["import"].replace("@plug_in@", "plug_in").replace("@adapter@", "adapter").replace("@title@", "X")
    (tmp_path / "program.py").write_text(block)
    run = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "libplug.so" in run.stderr


@pytest.mark.parametrize("profile", PROFILES, ids=[p["name"] for p in PROFILES])
def test_every_check_is_a_function_of_the_helper(profile: dict) -> None:
    if profile["name"] not in NOTES:
        pytest.skip(f"no adapter is known for {profile['name']}")
    kinds = {function["name"]: function["kind"] for function in TABLE["function"]}
    for limit in tomllib.loads(NOTES[profile["name"]].read_text())["limit"]:
        if "check" in limit:
            assert (kinds[limit["check"]] == "literal") == ("of" in limit), limit["api"]
