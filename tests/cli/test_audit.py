"""What a user of `accelport audit` relies on: formats, exit codes, totals, baselines."""

from __future__ import annotations

import json
import os
import subprocess
import unicodedata
from pathlib import Path

import jsonschema
import pytest
from program import PROGRAM, ROOT, TRAINER, Run


def schema(name: str) -> dict:
    return json.loads((ROOT / "docs/schemas" / name).read_text(encoding="utf-8"))


def audit(run: Run, *arguments: str) -> dict:
    result = run("audit", ".", "--json", *arguments)
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)


def grep_count(tree: Path, term: str, paths: list[str]) -> int:
    command = ["grep", "-o", "-a", "-i", "-F", "-h", "-e", term, *paths]
    out = subprocess.run(command, cwd=tree, env={"LC_ALL": "C"}, capture_output=True, check=False).stdout
    return out.count(b"\n")


def test_json_keeps_the_schema(run: Run, tree: Path) -> None:
    report = audit(run)
    jsonschema.validate(report, schema("audit.schema.json"))
    assert report["summary"]["occurrences"] == len(report["occurrences"])
    assert report["files"]["scanned"] == 3


def test_json_keys_stand_in_the_schemas_order(run: Run, tree: Path) -> None:
    report = audit(run)
    assert list(report) == list(schema("audit.schema.json")["properties"])
    wanted = schema("audit.schema.json")["properties"]["occurrences"]["items"]["properties"]
    for occurrence in report["occurrences"]:
        assert list(occurrence) == [key for key in wanted if key in occurrence]


def test_totals_are_greps(run: Run, tree: Path) -> None:
    report = audit(run)
    paths = ["train.py", "run.sh", "README.md"]
    for row in report["terms"]:
        assert row["hits"] == grep_count(tree, row["term"], paths), row["term"]
    assert sum(row["hits"] for row in report["terms"]) == sum(o["hits"] for o in report["occurrences"])


def test_reconcile_prints_every_term_and_balances(run: Run, tree: Path) -> None:
    result = run("audit", ".", "--reconcile")
    assert result.returncode in (0, 1)
    assert "the totals are equal" in result.stdout
    for row in audit(run)["terms"]:
        assert row["term"] in result.stdout


@pytest.mark.parametrize("jobs", ["1", "2", "7"])
def test_result_does_not_depend_on_threads(run: Run, tree: Path, jobs: str) -> None:
    for number in range(40):
        (tree / f"copy{number}.py").write_text(TRAINER * (number % 5 + 1))
    assert run("audit", ".", "--json", "-j", jobs).stdout == run("audit", ".", "--json", "-j", "3").stdout


def test_positions_lead_to_the_text(run: Run, tree: Path) -> None:
    for occurrence in audit(run)["occurrences"]:
        lines = (tree / occurrence["path"]).read_bytes().split(b"\n")
        if occurrence["line"] == occurrence["end_line"]:
            line = lines[occurrence["line"] - 1]
            text = line[occurrence["column"] - 1 : occurrence["end_column"] - 1].decode()
            assert text == occurrence["text"]


def test_exit_codes(run: Run, tree: Path) -> None:
    assert run("audit", ".").returncode == 1
    assert run("audit", ".", "--fail-on", "none").returncode == 0
    (tree / "clean").mkdir()
    (tree / "clean/a.py").write_text("print(1)\n")
    assert run("audit", "clean").returncode == 0
    assert run("audit", "no-such-folder").returncode == 2
    assert run("audit").returncode == 64
    assert run("audit", ".", "--format", "nonsense").returncode == 64
    assert run("audit", ".", "--to", "nonsense").returncode == 64
    assert run("nonsense").returncode == 64


def test_errors_say_what_where_and_what_to_do(run: Run, tree: Path) -> None:
    missing = run("audit", "no-such-folder")
    assert "no-such-folder" in missing.stderr and missing.stdout == ""
    platform = run("audit", ".", "--to", "nonsense")
    assert "nonsense" in platform.stderr and "known:" in platform.stderr
    (tree / "accelport.toml").write_text('exclude = ["x"]\nplatform = "musa"\n')
    config = run("audit", ".")
    assert config.returncode == 2
    assert "accelport.toml:2" in config.stderr and "platforms" in config.stderr


def test_baseline_knows_moved_code(run: Run, tree: Path) -> None:
    assert run("audit", ".", "--write-baseline", "known.json", "--fail-on", "none").returncode == 0
    jsonschema.validate(json.loads((tree / "known.json").read_text()), schema("baseline.schema.json"))
    arguments = ("--baseline", "known.json", "--exclude", "known.json")
    assert run("audit", ".", *arguments).returncode == 0
    (tree / "src").mkdir()
    (tree / "train.py").rename(tree / "src/moved.py")
    assert run("audit", ".", *arguments).returncode == 0
    (tree / "new.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    assert run("audit", ".", *arguments).returncode == 1


def test_since_compares_with_a_revision(run: Run, tree: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
        subprocess.run(["git", *identity, *words], cwd=tree, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    assert run("audit", ".", "--since", "HEAD").returncode == 0
    with (tree / "train.py").open("a") as file:
        file.write("torch.cuda.synchronize()\n")
    assert run("audit", ".", "--since", "HEAD").returncode == 1
    assert run("audit", ".", "--since", "no-such-revision").returncode == 64


def test_opt_out_comments_decide(run: Run, tree: Path) -> None:
    (tree / "train.py").write_text("import torch\ntorch.cuda.synchronize()  # accelport: retain -- NVIDIA only\n")
    found = [
        o for o in audit(run)["occurrences"] if o["path"] == "train.py" and o["line"] == 2 and o["category"] != "none"
    ]
    assert [(o["decision"], o["reason"], o["decided_by"]) for o in found] == [("retain", "NVIDIA only", "comment")]
    (tree / "train.py").write_text("import torch\ntorch.cuda.synchronize()  # accelport: keep -- why not\n")
    result = run("audit", ".")
    assert "train.py:2" in result.stderr and "'keep' is no decision" in result.stderr


def test_settings_of_the_repository(run: Run, tree: Path) -> None:
    (tree / "accelport.toml").write_text('exclude = ["run.sh"]\nterms = ["Trainer"]\n')
    report = audit(run)
    assert not [o for o in report["occurrences"] if o["path"] == "run.sh"]
    assert {"term": "Trainer", "hits": 2} in report["terms"]  # the page and the settings themselves


def test_sarif_holds_findings_with_fingerprints(run: Run, tree: Path) -> None:
    result = run("audit", ".", "--format", "sarif")
    log = json.loads(result.stdout)
    assert log["version"] == "2.1.0"
    (analysis,) = log["runs"]
    rules = analysis["tool"]["driver"]["rules"]
    assert analysis["columnKind"] == "utf16CodeUnits" and analysis["results"]
    ids = {o["id"] for o in audit(run)["occurrences"]}
    for row in analysis["results"]:
        assert rules[row["ruleIndex"]]["id"] == row["ruleId"]
        assert row["partialFingerprints"]["accelport/1"] in ids
        assert row["level"] in ("note", "warning", "error")


def test_sarif_columns_are_utf16(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('import torch\ns = "𝄞é"; torch.cuda.synchronize()\n', encoding="utf-8")
    (row,) = json.loads(run("audit", ".", "--format", "sarif").stdout)["runs"][0]["results"]
    region = row["locations"][0]["physicalLocation"]["region"]
    assert region["startColumn"] == len('s = "𝄞é"; '.encode("utf-16-le")) // 2 + 1


def test_markdown_is_a_page(run: Run, tree: Path) -> None:
    page = run("audit", ".", "--format", "markdown").stdout
    assert page.startswith("# CUDA audit\n") and "| place | decision | what | why |" in page


def test_control_characters_never_reach_the_output(run: Run, tmp_path: Path) -> None:
    name = "evil\x1b[31m\u202e.py"
    (tmp_path / name).write_text(
        'import torch\nx = "cuda\x1b]0;owned\x07\u202e"\ntorch.cuda.synchronize()\n', encoding="utf-8"
    )
    for form in ("text", "json", "sarif", "markdown"):
        shown = run("audit", ".", "--format", form).stdout
        assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown, form
    assert "\x1b" not in run("audit", ".", "--files").stdout


def test_colour_on_request_only(run: Run, tree: Path) -> None:
    assert "\x1b[" not in run("audit", ".").stdout
    assert "\x1b[" in run("audit", ".", "--color", "always").stdout
    assert run("audit", ".", "--color", "never").stdout == run("audit", ".").stdout


def test_a_closed_pipe_is_no_error(tree: Path) -> None:
    shell = f"{PROGRAM} audit . --json --fail-on none | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", shell], cwd=tree, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "0" and result.stderr == ""


def test_output_file_is_whole(run: Run, tree: Path) -> None:
    result = run("audit", ".", "--json", "-o", "report.json", "--exclude", "report.json")
    assert result.stdout == "" and json.loads((tree / "report.json").read_text())["schema"] == "accelport.audit/1"
    assert run("audit", ".", "-o", "no/such/folder/report").returncode == 2


def test_files_lists_everything(run: Run, tree: Path) -> None:
    (tree / "blob.bin").write_bytes(b"\0\1cuda")
    shown = run("audit", ".", "--files").stdout
    assert "blob.bin" in shown and "binary" in shown and "run.sh" in shown


def test_names_that_are_not_utf8(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / os.fsdecode(b"caf\xe9.py")
    bad.write_bytes(b"import torch\ntorch.cuda.synchronize()\n")
    report = audit(run)
    jsonschema.validate(report, schema("audit.schema.json"))
    assert {"bytes": "Y2Fm6S5weQ=="} in [o["path"] for o in report["occurrences"]]


def install(tree: Path, name: str, source: str) -> Path:
    """A virtual environment beside the tree with one package."""
    site = tree.parent / "env/lib/python3.11/site-packages"
    (site / name).mkdir(parents=True)
    (site / name / "__init__.py").write_text(source)
    (site / f"{name}-1.2.dist-info").mkdir()
    (site / f"{name}-1.2.dist-info/RECORD").write_text(f"{name}/__init__.py,,\n")
    return tree.parent / "env"


def test_installed_packages_are_reported_and_are_no_findings(run: Run, tmp_path: Path) -> None:
    tree = tmp_path / "repository"
    tree.mkdir()
    (tree / "a.py").write_text("import fastops\n")
    environment = {"VIRTUAL_ENV": str(install(tree, "fastops", "import torch\ntorch.cuda.synchronize()\n"))}
    text = run("audit", ".", "--with-packages", cwd=tree, env=environment)
    assert text.returncode == 0 and "Nothing here depends on CUDA" in text.stdout
    assert "fastops 1.2" in text.stdout and "1 dependency on CUDA in 1 file" in text.stdout
    result = run("audit", ".", "--with-packages", "--json", cwd=tree, env=environment)
    report = json.loads(result.stdout)
    jsonschema.validate(report, schema("audit.schema.json"))
    (row,) = report["occurrences"]
    assert row["path"] == "packages:fastops 1.2/fastops/__init__.py" and row["decision"] == "abstract"
    assert row["port"] == {"action": "none", "replacement": None} and report["files"]["scanned"] == 2
    assert "fastops" not in run("audit", ".", cwd=tree, env=environment).stdout


def test_installed_packages_need_a_folder(run: Run, tree: Path) -> None:
    nowhere = {"VIRTUAL_ENV": "", "CONDA_PREFIX": "", "PATH": "/nowhere"}
    result = run("audit", ".", "--with-packages", env=nowhere)
    assert result.returncode == 2 and "VIRTUAL_ENV" in result.stderr


@pytest.mark.parametrize("columns", [40, 64, 80, 120])
def test_no_line_is_wider_than_the_terminal(run: Run, tree: Path, columns: int) -> None:
    """Paths and texts of the repository are cut, sentences are wrapped, wide characters count twice."""
    (tree / "模型").mkdir()
    (tree / "模型/训练.py").write_text('import torch\nx = f("显存不足显存不足显存不足显存不足 cuda")\nx.cuda()\n')
    for arguments in ((), ("--files",), ("--quiet",), ("--reconcile",)):
        shown = run("audit", ".", *arguments, env={"COLUMNS": str(columns)}).stdout
        for line in shown.splitlines():
            width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
            assert width <= columns, (arguments, line)


def test_quiet_is_the_beginning_of_the_report(run: Run, tree: Path) -> None:
    quiet = run("audit", ".", "--quiet").stdout
    assert "dependencies on CUDA" in quiet and "train.py" not in quiet and len(quiet.splitlines()) < 25


def test_every_decision_in_use_is_explained_once(run: Run, tree: Path) -> None:
    shown = run("audit", ".").stdout
    assert shown.count("one expression serves every device") == 1


def test_baseline_of_the_settings(run: Run, tree: Path) -> None:
    (tree / "accelport.toml").write_text('baseline = "known.json"\nexclude = ["known.json"]\n')
    assert run("audit", ".", "--write-baseline", "known.json", "--fail-on", "none").returncode == 0
    assert run("audit", ".").returncode == 0
    (tree / "new.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    assert run("audit", ".").returncode == 1
