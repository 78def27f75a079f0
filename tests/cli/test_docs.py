"""The pages that are written by a program are what it would write now; links and commands of the others hold."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from program import PROGRAM, ROOT, Run

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def test_written_pages_are_current() -> None:
    command = [sys.executable, str(ROOT / "tools/make_docs.py"), "--check"]
    result = subprocess.run(command, env={"ACCELPORT_PROGRAM": PROGRAM}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_options_exist(page: Path, run: Run) -> None:
    """`accelport VERB … --option` in a page: the verb has the option."""
    known = {verb: run(verb, "--help").stdout for verb in ("audit", "env", "explain", "run", "completion")}
    for verb, words in re.findall(
        r"accelport (audit|env|explain|run|completion)\b([^\n`|#]*)", page.read_text(encoding="utf-8")
    ):
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", words):
            assert option in known[verb], f"accelport {verb}{words}"


def test_picture_is_whole() -> None:
    picture = ElementTree.parse(ROOT / "docs/audit.svg").getroot()
    text = "".join(picture.itertext())
    assert "dependencies on CUDA" in text and "accelport audit" in text


def test_architecture_names_what_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    for path in re.findall(r"`((?:src|data|tests|tools|docs|bench|fuzz|cmake)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_rules_exist(page: Path) -> None:
    for rule in re.findall(r"^\[rules\.([\w-]+)\]", page.read_text(encoding="utf-8"), re.MULTILINE):
        assert list(ROOT.glob(f"data/rules/*/{rule}.toml")), rule


def test_guides_in_both_languages_show_the_same_commands() -> None:
    for first, second in (
        ("README.md", "README.zh-CN.md"),
        ("docs/guide.md", "docs/guide.zh-CN.md"),
        ("docs/run.md", "docs/run.zh-CN.md"),
    ):
        commands = [
            re.findall(r"^(?:make|accelport) [^#\n|]*", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
            for name in (first, second)
        ]
        assert [c.strip() for c in commands[0]] == [c.strip() for c in commands[1]], first
