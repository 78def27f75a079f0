"""Every kind of fault fires where it was planned, is survived or detected, and is named in the report."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
import sim_card

STEP = """
import json, warnings
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=0.1, fused=True)
x, y = torch.randn(16, 4).to(device), torch.randint(2, (16,)).to(device)
losses = []
for step in range(4):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if not norm.isfinite():
        print("skipped", step)
        continue
    opt.step()
    losses.append(loss.item())
finite = all(p.isfinite().all().item() for p in model.parameters())
print(json.dumps({"losses": losses, "finite": finite}))
"""


def run(text: str, faults: str, folder: Path, **options: object) -> tuple[str, str, int, list[str]]:
    """What a program printed and said, how it ended, and the faults in the reports of its processes."""
    path = folder / "faults.toml"
    path.write_text(faults, encoding="utf-8")
    done = sim_card.run(text, folder, faults=str(path), **options)
    named = [line for report in sim_card.reports(folder) for line in report.get("faults", [])]
    return done.stdout, done.stderr, done.returncode, named


def outcome(stdout: str) -> dict[str, object]:
    return json.loads(stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    stdout, stderr, code, named = run(STEP, "", tmp_path_factory.mktemp("clean"))
    assert (code, named) == (0, []), stderr
    return outcome(stdout)


@pytest.mark.parametrize("kind", ["nan", "inf"])
def test_a_bad_gradient_is_seen_and_its_step_skipped(kind: str, tmp_path: Path) -> None:
    plan = f'[[fault]]\nkind = "{kind}"\noperator = "aten::addmm"\ncall = 2\n'
    plan = plan.replace("aten::addmm", "aten::mm") + 'phase = "backward"\n'
    stdout, stderr, code, named = run(STEP, plan, tmp_path)
    assert code == 0, stderr
    assert "skipped 0" in stdout
    assert outcome(stdout)["finite"]
    assert named == [f"{kind} at call 2 of aten::mm in backward: fired"]
    assert f"simulated: fault fired: {kind} at call 2 of aten::mm in backward" in stderr


def test_a_wrong_value_shows_in_the_losses(clean: dict[str, object], tmp_path: Path) -> None:
    plan = '[[fault]]\nkind = "wrong"\noperator = "aten::addmm"\ncall = 6\nphase = "forward"\n'
    stdout, stderr, code, named = run(STEP, plan, tmp_path)
    assert code == 0, stderr
    mine, good = outcome(stdout)["losses"], clean["losses"]
    assert mine[:2] == good[:2], "call 6 is in the third step"
    assert mine[2] != good[2]
    assert named == ["wrong at call 6 of aten::addmm in forward: fired"]


def test_a_fault_in_the_optimizer_reaches_the_parameters(clean: dict[str, object], tmp_path: Path) -> None:
    plan = '[[fault]]\nkind = "nan"\noperator = "aten::_fused_adamw_"\ncall = 4\nphase = "optimizer"\n'
    stdout, stderr, code, named = run(STEP, plan, tmp_path)
    assert code == 0, stderr
    assert outcome(stdout) == {"losses": clean["losses"], "finite": False}
    assert named == ["nan at call 4 of aten::_fused_adamw_ in optimizer: fired"]


def test_faults_replay(tmp_path: Path) -> None:
    plan = '[[fault]]\nkind = "wrong"\noperator = "aten::mm"\ncall = 3\nelement = 5\n'
    runs = []
    for turn in range(2):
        (tmp_path / str(turn)).mkdir()
        runs.append(outcome(run(STEP, plan, tmp_path / str(turn))[0]))
    assert runs[0] == runs[1]


def test_an_error_is_raised_and_can_be_caught(tmp_path: Path) -> None:
    text = """
a = torch.ones(2, 2, device=device)
for turn in range(3):
    try:
        print(turn, torch.mm(a, a).sum().item())
    except RuntimeError as error:
        print(turn, "caught", error)
"""
    plan = '[[fault]]\nkind = "error"\noperator = "aten::mm"\ncall = 2\n'
    stdout, stderr, code, named = run(text, plan, tmp_path)
    assert code == 0, stderr
    lines = stdout.splitlines()
    assert (lines[0], lines[2]) == ("0 8.0", "2 8.0")
    assert lines[1].startswith("1 caught simulated fault: aten::mm failed")
    assert named == ["error at call 2 of aten::mm: fired"]


OUT_OF_MEMORY = """
def work(rows):
    x = torch.ones(rows, 1024, device=device)
    return (x * 2).sum().item()
for rows in (4096, 2048):
    try:
        print(rows, work(rows))
    except torch.OutOfMemoryError as error:
        print(rows, "caught", str(error)[:44])
"""


@pytest.mark.parametrize(("limit", "text"), [("mebibytes = 20", "20 MiB"), ("bytes = 20000000", "20000000 bytes")])
def test_out_of_memory_above_a_limit_is_survived(limit: str, text: str, tmp_path: Path) -> None:
    plan = f'[[fault]]\nkind = "out-of-memory"\n{limit}\n'
    stdout, stderr, code, named = run(OUT_OF_MEMORY, plan, tmp_path)
    assert code == 0, stderr
    first, second = stdout.splitlines()
    assert first.startswith("4096 caught MUSA out of memory. Tried to allocate 16.00")
    assert second == f"2048 {2.0 * 2048 * 1024}"
    assert named == [f"out-of-memory above {text}: fired"]


def test_a_corrupt_file_is_noticed(tmp_path: Path) -> None:
    text = """
import hashlib
x = torch.arange(10000.0, device=device)
for name in ("good.pt", "bad.pt"):
    torch.save({"x": x}, name)
    try:
        print(name, torch.equal(torch.load(name)["x"], x))
    except RuntimeError as error:
        print(name, "refused", error)
"""
    stdout, stderr, code, named = run(text, '[[fault]]\nkind = "corrupt"\ncall = 2\n', tmp_path)
    assert code == 0, stderr
    good, bad = stdout.splitlines()[:2]
    assert good == "good.pt True"
    assert bad.startswith("bad.pt False") or bad.startswith("bad.pt refused"), bad
    assert named == ["corrupt at call 2 of save: fired"]


STALE = """
card = getattr(torch, device)
side = card.Stream()
for turn in range(3):
    x = torch.ones(10, device=device)
    side.wait_stream(card.current_stream())
    with card.stream(side):
        x.mul_(2)
    %s
    print(x.sum().item())
"""


@pytest.mark.parametrize(
    ("wait", "name", "call"),
    [
        ("card.current_stream().wait_stream(side)", "stream.wait", 4),  # each turn waits twice
        ("side.synchronize()", "stream.synchronize", 2),
        ("card.synchronize()", "device.synchronize", 2),
        ("side.record_event().synchronize()", "event.synchronize", 2),
    ],
)
def test_a_wait_that_is_left_out_gives_old_bytes(wait: str, name: str, call: int, tmp_path: Path) -> None:
    plan = f'[[fault]]\nkind = "stale"\noperator = "{name}"\ncall = {call}\n'
    stdout, stderr, code, named = run(STALE % wait, plan, tmp_path)
    assert code == 0, stderr
    assert stdout.split() == ["20.0", "10.0", "20.0"]
    assert named == [f"stale at call {call} of {name}: fired"]
    (report,) = sim_card.reports(tmp_path)
    assert report["stale_reads"]["count"] >= 1


def test_a_host_that_reads_the_card_is_killed_and_told(tmp_path: Path) -> None:
    text = """
import ctypes
x = torch.ones(10, device=device)
print(x.data_ptr() != 0, x[1:].data_ptr() - x.data_ptr(), x.cpu().data_ptr() != x.data_ptr(), flush=True)
ctypes.string_at(x.data_ptr(), 4)
print("not reached")
"""
    stdout, stderr, code, named = run(text, '[[fault]]\nkind = "host-read"\n', tmp_path)
    assert stdout == "True 4 True\n"
    assert code == -signal.SIGSEGV
    assert "simulated: the host has read or written device memory" in stderr
    assert named == ["host-read: fired"]


def test_what_does_not_fire_is_named_too(tmp_path: Path) -> None:
    plan = '[[fault]]\nkind = "nan"\noperator = "aten::mm"\ncall = 1000\n\n[[fault]]\nkind = "host-read"\n'
    _, stderr, code, named = run("print(torch.ones(2, device=device).sum().item())", plan, tmp_path)
    assert code == 0, stderr
    assert named == ["nan at call 1000 of aten::mm: did not fire", "host-read: did not fire"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ('[[fault]]\nkind = "hang"\noperator = "aten::mm"\n', "operator"),
        ('[[fault]]\nkind = "late"\n', "collective"),
        ('[[fault]]\nkind = "out-of-memory"\n', "limit"),
        ('[[fault]]\nkind = "nan"\noperator = "mm"\n', "mm"),
        ('[[fault]]\nkind = "strange"\n', "strange"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan: str, message: str, tmp_path: Path) -> None:
    _, stderr, code, _ = run("print('not reached')", plan, tmp_path)
    assert code == 125
    assert "faults.toml:" in stderr
    assert message in stderr
