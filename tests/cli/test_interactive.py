"""`accelport port --interactive` through a terminal: what is answered is what is written."""

from __future__ import annotations

import errno
import json
import os
import pty
import select
import time
from pathlib import Path

import pytest
from program import PROGRAM, Run
from test_port import contents, port, without_records

SOURCE = "import torch\n\nx = torch.zeros(1).cuda()\n\n\ny = torch.ones(1).cuda()\n\n\nz = torch.rand(1).cuda()\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(SOURCE)
    return tmp_path


def talk(tree: Path, answers: list[str], *arguments: str, end: bool = True) -> tuple[int, str]:
    """Types each answer when a question stands there; gives the exit code and what was on the screen."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tree)
        os.environ["TERM"] = "xterm"
        os.execv(PROGRAM, [PROGRAM, "port", ".", "--to", "musa", "--interactive", *arguments])
    screen, asked, deadline = b"", 0, time.monotonic() + 60
    left = list(answers)
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            try:
                got = os.read(terminal, 65536)
            except OSError as error:
                assert error.errno == errno.EIO
                break
            if not got:
                break
            screen += got
        questions = sum(screen.count(word) for word in (b"?]? ", b"empty: back): ", b"reason: "))
        if questions > asked:
            asked = questions
            if left:
                os.write(terminal, left.pop(0).encode() + b"\n")
            elif end:
                os.write(terminal, b"\x04")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), screen.decode(errors="replace")


def lines(tree: Path) -> list[str]:
    return (tree / "a.py").read_text().splitlines()


def test_yes_and_no(small: Path) -> None:
    code, screen = talk(small, ["y", "n", "y"])
    assert code == 1, screen
    text = (small / "a.py").read_text()
    assert text.count(".cuda()") == 1
    assert "y = torch.ones(1).cuda()" in text
    assert "import accelerator" in text
    assert "\x1b[32m" in screen and "\x1b[31m" in screen


def test_all_and_quit(small: Path, run: Run) -> None:
    assert talk(small, ["n", "a"])[0] in (0, 1)
    assert (small / "a.py").read_text().count(".cuda()") == 1
    assert run("port", "--revert").returncode == 0
    assert talk(small, ["y", "q"])[0] in (0, 1)
    assert (small / "a.py").read_text().count(".cuda()") == 2


def test_a_decision_is_obeyed_by_the_next_run(small: Path, run: Run) -> None:
    code, screen = talk(small, ["y", "d", "retain", "one card only", "y"])
    assert code == 0, screen
    rows = [json.loads(line) for line in (small / ".accelport/decisions.jsonl").read_text().splitlines()]
    mine = [row for row in rows if row["who"] == "person"]
    assert [(row["decision"], row["reason"], row["line"]) for row in mine] == [("retain", "one card only", 6)]
    assert "nothing to change" in port(run).stdout
    assert "y = torch.ones(1).cuda()" in (small / "a.py").read_text()
    audit = json.loads(run("audit", ".", "--json").stdout)
    assert [o["decision"] for o in audit["occurrences"] if o["reason"] == "one card only"] == ["retain"]


def test_decisions_alone_are_written(small: Path, run: Run) -> None:
    code, screen = talk(small, ["d", "unsupported", "needs a person", "d", "", "n", "q"])
    assert code in (0, 1), screen
    assert lines(small) == SOURCE.splitlines()
    assert not (small / "accelerator.py").exists()
    assert "needs a person" in (small / ".accelport/decisions.jsonl").read_text()


def test_wrong_answers_ask_again(small: Path) -> None:
    code, screen = talk(small, ["maybe", "e", "d", "replace", "d", "retain", "", "q"])
    assert code in (0, 1), screen
    assert "decide otherwise" in screen
    assert "is none of" in screen
    assert "needs a reason" in screen
    assert lines(small) == SOURCE.splitlines()


def test_the_end_of_the_input_writes_nothing(small: Path) -> None:
    before = contents(small)
    code, screen = talk(small, ["y"])
    assert code == 2
    assert "nothing was written" in screen
    assert without_records(contents(small)) == before


def test_without_a_terminal(small: Path, run: Run) -> None:
    result = port(run, "--interactive")
    assert result.returncode == 64
    assert "terminal" in result.stderr
