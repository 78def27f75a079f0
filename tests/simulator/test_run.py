"""`accelport run`: what a user sees of it, whatever the program does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from simulated_run import BINARIES, CARD, PROGRAM, accelport, need_simulator, output_of, run

OWN_FAILURE = 125
WRONG_USAGE = 64


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines of accelport itself."""
    return [line for line in done.stderr.splitlines() if line.startswith("accelport: ")]


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on", "why"),
    [
        ("sim:msua:1", "no platform is called 'msua'"),
        ("msua", "no platform is called 'msua'"),
        ("sim:xpu:1", "'xpu' cannot be simulated: torch has a device of that name"),
        ("sim:rocm:1", "'rocm' cannot be simulated: a ROCm build of torch answers as cuda"),
        ("sim:cuda:1", "'cuda' cannot be simulated"),
        ("sim:musa:0", "'0' is no number of cards"),
        ("sim:musa:65", "'65' is no number of cards"),
        ("sim:", "sim: needs a platform"),
    ],
)
def test_a_target_that_cannot_be_is_wrong_usage(tmp_path: Path, on: str, why: str) -> None:
    done = accelport("run", "--on", on, "--", "true", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert why in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--memory", "lots"), "'lots' is no size of memory"),
        (("--strictness", "lax"), "--strictness"),
        (("--fidelity", "high"), "--fidelity"),
        (("--without", "no_such_quirk"), "has no quirk 'no_such_quirk'"),
        (("--faults", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_a_value_that_cannot_be_is_wrong_usage(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    done = accelport("run", "--on", CARD, *words, "--", "true", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert why in done.stderr


def test_settings_of_a_simulated_card_need_one(tmp_path: Path) -> None:
    done = accelport("run", "--on", "cpu", "--memory", "1G", "--", "true", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert "are about a simulated card" in done.stderr


def test_a_platform_without_a_card_to_simulate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "profile.toml").write_text('name = "mine"\n')
    done = accelport("run", "--on", "sim:./mine:1", "--", "true", cwd=tmp_path)
    assert done.returncode == OWN_FAILURE
    assert "cannot be simulated without simulator.toml" in done.stderr


def test_a_program_that_is_not_there_is_our_failure(tmp_path: Path) -> None:
    done = accelport("run", "--on", "cpu", "--", "no-such-program-of-accelport", cwd=tmp_path)
    assert done.returncode == OWN_FAILURE
    assert "there is no program 'no-such-program-of-accelport'" in done.stderr


def test_a_program_is_needed(tmp_path: Path) -> None:
    assert accelport("run", "--on", "cpu", cwd=tmp_path).returncode == WRONG_USAGE


# --- the program is itself ----------------------------------------------------------------------


@pytest.mark.parametrize("on", ["cpu", CARD])
def test_output_input_and_exit_code_are_the_programs(tmp_path: Path, on: str) -> None:
    done = subprocess.run(
        [PROGRAM, "run", "--on", on, "--", "sh", "-c", "cat; echo wrong >&2; exit 42"],
        cwd=tmp_path,
        input="in\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (42, "in\n")
    assert "wrong" in done.stderr.splitlines()


def test_a_killed_program_gives_128_and_the_signal(tmp_path: Path) -> None:
    assert accelport("run", "--on", "cpu", "--", "sh", "-c", "kill -TERM $$", cwd=tmp_path).returncode == 128 + 15


@pytest.mark.parametrize("on", ["cpu", CARD])
def test_signals_reach_the_program(tmp_path: Path, on: str) -> None:
    script = "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [PROGRAM, "run", "--on", on, "--", "bash", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=30)[0] == "got it\n"
    assert process.returncode == 5


def test_on_the_cpu_no_card_is_visible(tmp_path: Path) -> None:
    done = accelport(
        "run", "--on", "cpu", "--", "sh", "-c", 'echo "[$CUDA_VISIBLE_DEVICES][$MUSA_VISIBLE_DEVICES]"', cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("[][]\n", "")


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    script = 'test -d "${PYTHONPATH%%:*}" && test -f "$ACCELPORT_SIM" && echo there'
    done = accelport("run", "--on", CARD, "--", "sh", "-c", script, cwd=tmp_path, environment={"TMPDIR": str(folder)})
    assert done.stdout == "there\n"
    assert list(folder.iterdir()) == []


# --- on the card --------------------------------------------------------------------------------

USE = "import torch\nx = torch.ones(3, device='musa')\nprint((x + x).sum().item(), x.device)\n"


def test_a_program_runs_on_the_card_and_we_say_simulated(tmp_path: Path) -> None:
    need_simulator()
    done = run(USE, tmp_path)
    assert output_of(done) == "6.0 musa:0\n"
    lines = said(done)
    assert lines
    assert all(line.startswith("accelport: simulated: ") for line in lines)
    assert "MTT S5000 (musa)" in lines[0]
    assert "fidelity exact, strictness strict" in lines[0]
    assert any("1 process used the card" in line for line in lines)


def test_a_script_alone_is_given_to_python(tmp_path: Path) -> None:
    need_simulator()
    (tmp_path / "program.py").write_text(USE)
    environment = {"VIRTUAL_ENV": str(Path(sys.executable).parent.parent)}
    done = accelport("run", "--on", CARD, "--", "program.py", cwd=tmp_path, environment=environment)
    assert output_of(done) == "6.0 musa:0\n"


def test_a_program_that_uses_no_card_is_told_so(tmp_path: Path) -> None:
    need_simulator()
    done = run("import torch\nprint(torch.cuda.is_available(), torch.ones(2).sum().item())\n", tmp_path)
    assert output_of(done) == "False 2.0\n"
    assert any("the program did not use the card" in line for line in said(done))


def test_a_program_without_torch_is_told_so(tmp_path: Path) -> None:
    done = run("print('no torch here')\n", tmp_path)
    assert any("nothing was simulated" in line for line in said(done))


def test_what_torch_there_is_no_extension_for_is_refused(tmp_path: Path) -> None:
    need_simulator()
    done = run(USE, tmp_path, environment={"ACCELPORT_SIMULATOR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (OWN_FAILURE, "")
    assert "none is built" in done.stderr
    assert any("not simulated: no simulator for torch" in line for line in said(done))


def test_an_extension_that_cannot_be_loaded_is_refused(tmp_path: Path) -> None:
    need_simulator()
    (built,) = BINARIES.glob("torch-2.13/*.so")
    broken = tmp_path / built.parent.name / built.name
    broken.parent.mkdir()
    broken.write_bytes(b"no library")
    done = run(USE, tmp_path, environment={"ACCELPORT_SIMULATOR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (OWN_FAILURE, "")
    assert any("not simulated: " in line and "build it again" in line for line in said(done))


def test_another_torch_is_refused_by_both_versions(tmp_path: Path) -> None:
    need_simulator()
    text = "import sys, importlib.abc, importlib.machinery\n" + OTHER_TORCH + USE
    done = run(text, tmp_path)
    assert done.returncode == OWN_FAILURE
    assert "no simulator for torch 2.12.0" in done.stderr
    assert "torch-2.13" in done.stderr


# torch's own version module says another version before torch reads it.
OTHER_TORCH = """
class Other(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != 'torch.torch_version':
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module
        def changed(module):
            execute(module)
            module.__version__ = module.TorchVersion('2.12.0')
        spec.loader.exec_module = changed
        return spec
sys.meta_path.insert(0, Other())
"""


def test_it_is_not_run_beside_the_vendors_package(tmp_path: Path) -> None:
    need_simulator()
    package = tmp_path / "torch_musa"
    package.mkdir()
    (package / "__init__.py").write_text("")
    done = run(USE, tmp_path)
    assert done.returncode == OWN_FAILURE
    assert "the vendor's package torch_musa is installed" in done.stderr


def test_memory_is_limited_as_told(tmp_path: Path) -> None:
    need_simulator()
    text = (
        "import torch\n"
        "print(torch.musa.get_device_properties(0).total_memory)\n"
        "torch.empty(100 << 20, dtype=torch.uint8, device='musa')\n"
        "try:\n    torch.empty(300 << 20, dtype=torch.uint8, device='musa')\n"
        "except torch.OutOfMemoryError as error:\n    print(error)\n"
    )
    lines = output_of(run(text, tmp_path, "--memory", "256MiB")).splitlines()
    assert lines[0] == str(256 << 20)
    assert lines[1].startswith("MUSA out of memory. Tried to allocate 300.00 MiB. GPU 0 has a total capacity of 256.00")


def test_a_card_that_holds_nothing_is_refused(tmp_path: Path) -> None:
    done = run("", tmp_path, "--memory", "1")
    assert done.returncode == 64
    assert "a card with '1' of memory holds nothing" in done.stderr
    assert "at least 2.0 MiB" in done.stderr


def test_a_lacking_dtype_fails_as_on_the_card(tmp_path: Path) -> None:
    need_simulator()
    text = "import torch\nx = torch.ones(2, dtype=torch.int32, device='musa').to(torch.uint16)\nprint(torch.sort(x))\n"
    done = run(text, tmp_path)
    assert done.returncode == 1
    assert "RuntimeError: SetMUTensorDType Unsupported tensor dtype: UInt16" in done.stderr


LACKING = "import torch\nx = torch.tensor([3.0, 1.0, 2.0], device='musa')\nprint(torch.linalg.matrix_exp(x.diag())[0].tolist())\n"


def test_a_lacking_operator_fails_or_is_counted(tmp_path: Path) -> None:
    need_simulator()
    strict = run(LACKING, tmp_path)
    assert strict.returncode == 1
    assert "NotImplementedError" in strict.stderr
    assert "aten::linalg_matrix_exp" in strict.stderr
    for strictness in ("warn", "allow"):
        loose = run(LACKING, tmp_path, "--strictness", strictness, "--quiet")
        output_of(loose)
        lines = said(loose)
        assert any(f"not strict ({strictness}): 1 operator that" in line for line in lines)
        assert any("aten::linalg_matrix_exp" in line and "1 call" in line for line in lines)
        assert ("linalg_matrix_exp" in "\n".join(set(loose.stderr.splitlines()) - set(lines))) == (strictness == "warn")


def test_faults_fire_and_are_told(tmp_path: Path) -> None:
    need_simulator()
    (tmp_path / "faults.toml").write_text(
        '[[fault]]\nkind = "nan"\noperator = "aten::add"\ncall = 2\n\n[[fault]]\nkind = "inf"\noperator = "aten::mul"\n'
    )
    text = "import torch\nx = torch.ones(2, device='musa')\nprint((x + x).tolist(), (x + x).tolist())\n"
    done = run(text, tmp_path, "--faults", "faults.toml", "--quiet")
    assert output_of(done) == "[2.0, 2.0] [nan, 2.0]\n"
    lines = said(done)
    assert any("nan at call 2 of aten::add: fired" in line for line in lines)
    assert any("inf at call 1 of aten::mul: did not fire" in line for line in lines)


def test_a_wrong_file_of_faults_is_refused_with_its_line(tmp_path: Path) -> None:
    need_simulator()
    (tmp_path / "faults.toml").write_text('[[fault]]\nkind = "nan"\noperator = "aten::add"\nkall = 2\n')
    done = run(USE, tmp_path, "--faults", "faults.toml")
    assert done.returncode == OWN_FAILURE
    assert "faults.toml:4" in done.stderr


QUIRK = (
    "import torch\ntorch.ones(1, device='musa')\nprint(torch.musa._initialized)\n"
    "try:\n    torch.accelerator.synchronize()\n    print('waited')\nexcept RuntimeError as error:\n    print('raised')\n"
)


def test_fidelity_chooses_the_quirks(tmp_path: Path) -> None:
    need_simulator()
    exact = run(QUIRK, tmp_path)
    assert output_of(exact) == "True\nraised\n"
    assert any("quirks that were on: no_synchronize_device" in line for line in said(exact))
    card = run(QUIRK, tmp_path, "--fidelity", "card")
    assert output_of(card) == "False\nraised\n"
    assert any("fidelity card" in line for line in said(card))
    without = run(QUIRK, tmp_path, "--fidelity", "card", "--without", "initialized_flag_stale,no_synchronize_device")
    assert output_of(without) == "True\nwaited\n"


def test_a_killed_process_is_missed(tmp_path: Path) -> None:
    need_simulator()
    done = run(USE + "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", tmp_path)
    assert done.returncode == 128 + 9
    assert any("1 process was killed before telling its figures" in line for line in said(done))


# --- nothing of ours elsewhere ------------------------------------------------------------------


def test_a_plain_import_of_torch_loads_nothing_of_ours(tmp_path: Path) -> None:
    need_simulator()
    text = (
        "import sys, torch\n"
        "print([name for name in sys.modules if 'accelport' in name],"
        " torch._C._get_privateuse1_backend_name(), hasattr(torch, 'musa'))\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACCELPORT")}
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout == "[] privateuseone False\n"
