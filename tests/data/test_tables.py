"""The knowledge data parses, is complete and keeps the promises of docs/data-formats.md."""

from __future__ import annotations

import ast
import re

import pytest
from knowledge import DATA, PLATFORMS, read_toml, read_tsv

CATEGORIES = {
    "device-selection",
    "visibility",
    "amp-memory",
    "distributed",
    "package-extension",
    "kernel-arch",
    "docs-metadata",
    "nvidia-only",
}
DECISIONS = {"abstract", "retain", "replace", "fallback", "unsupported"}
STATUSES = {"same-shape", "semantic-difference", "missing", "nvidia-only", "other-vendor"}
PYTHON_COLUMNS = ["cuda", "target", "neutral", "neutral_since", "status", "note", "source"]
CPP_COLUMNS = ["cuda", "target", "kind", "status", "note", "source"]
CPP_KINDS = set("header namespace type function macro enum identifier suffix tool build library flag construct".split())
PLAIN_PREFIXES = ("env:", "cli:", "package:", "path:", "topic:", "literal:", "cpp:")
PYTHON_ROWS = {"musa": 527}
FACTS = {"musa": 151}


def unique(values: list[str]) -> bool:
    return len(values) == len(set(values))


def python_form(name: str) -> str | None:
    """The Python expression of an API name, or None where it is not one."""
    if not name or name.startswith(PLAIN_PREFIXES):
        return None
    return re.sub(r"(\.|_)\*$", lambda m: "" if m[1] == "." else "_", name.removeprefix("expr:"))


def assert_names(cell: str, where: str) -> None:
    for name in cell.split(" | "):
        form = python_form(name)
        if form is None:
            continue
        try:
            ast.parse(form, mode="eval")
        except SyntaxError as error:
            pytest.fail(f"{where}: {name!r} is no expression: {error}")


TOML_FILES = sorted(DATA.glob("*.toml")) + sorted(DATA.glob("platforms/*/*.toml"))


@pytest.mark.parametrize("path", TOML_FILES, ids=lambda path: str(path.relative_to(DATA)))
def test_toml_files_have_a_schema(path):
    content = read_toml(str(path.relative_to(DATA)))
    assert re.fullmatch(r"accelport\.[a-z_]+/\d+", content["schema"])
    assert next(iter(content)) == "schema"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_python_api(platform):
    rows = read_tsv(f"platforms/{platform}/python_api.tsv")
    assert list(rows[0]) == PYTHON_COLUMNS
    assert len(rows) == PYTHON_ROWS[platform]
    assert unique([row["cuda"] for row in rows])
    for row in rows:
        where = row["cuda"]
        assert row["cuda"] and row["source"], where
        assert row["status"] in STATUSES, where
        assert re.fullmatch(r"|\d+\.\d+", row["neutral_since"]), where
        assert row["neutral"] or not row["neutral_since"], where
        for column in ("cuda", "target", "neutral"):
            assert_names(row[column], where)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_rows_that_are_no_plain_renaming_explain_themselves(platform):
    for row in read_tsv(f"platforms/{platform}/python_api.tsv"):
        assert row["note"] or row["status"] in {"same-shape", "missing"}, row["cuda"]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_neutral_forms_name_no_device(platform):
    """Except where torch itself keeps a CUDA-looking name for every device."""
    for row in read_tsv(f"platforms/{platform}/python_api.tsv"):
        assert not re.search(rf"cuda|nccl|{platform}|mccl", row["neutral"].lower()), row["cuda"]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_operators(platform):
    rows = read_tsv(f"platforms/{platform}/operators.tsv")
    assert list(rows[0]) == ["operator", "how"]
    assert unique([row["operator"] for row in rows])
    assert {row["how"] for row in rows} == {"kernel", "delegate"}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_cpp_api(platform):
    rows = read_tsv(f"platforms/{platform}/cpp_api.tsv")
    assert list(rows[0]) == CPP_COLUMNS
    assert unique([row["cuda"] for row in rows])
    for row in rows:
        assert row["cuda"] and row["source"], row
        assert row["kind"] in CPP_KINDS, row
        assert row["status"] in STATUSES | {"dropped"}, row
        assert row["target"] or row["status"] != "same-shape", row
        assert not row["target"] or row["status"] not in {"missing", "dropped"}, row


@pytest.mark.parametrize("platform", PLATFORMS)
def test_semantics(platform):
    facts = read_toml(f"platforms/{platform}/semantics.toml")["fact"]
    assert len(facts) == FACTS[platform]
    assert unique([fact["id"] for fact in facts])
    keys = {"id", "severity", "finder", "apis", "text", "verified", "source"}
    for fact in facts:
        where = fact["id"]
        assert set(fact) == keys, where
        assert re.fullmatch(r"[A-Z]\d+", where)
        assert fact["severity"] in {"silent", "error", "hang", "none"}, where
        assert fact["finder"] in {"static", "runtime", "both"}, where
        assert isinstance(fact["verified"], bool), where
        assert fact["source"] and fact["text"].endswith("."), where
        assert not fact["verified"] or "unverified" not in fact["text"], where
        assert unique(fact["apis"]), where
        for name in fact["apis"]:
            assert_names(name, where)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_facts_about_variables_and_sources_agree_with_the_tables(platform):
    """What a fact calls env: or cpp: is a row somewhere, so a misspelt name cannot hide."""
    known = {name for row in read_tsv(f"platforms/{platform}/python_api.tsv") for name in row["cuda"].split(" | ")}
    known |= {f"env:{variable['name']}" for variable in read_toml("environment.toml")["variable"]}
    known |= {f"cpp:{row['cuda']}" for row in read_tsv(f"platforms/{platform}/cpp_api.tsv")}
    for fact in read_toml(f"platforms/{platform}/semantics.toml")["fact"]:
        for name in fact["apis"]:
            if name.startswith(("env:", "cpp:", "cli:", "topic:", "expr:")):
                assert name in known, (fact["id"], name)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_profile_counterparts(platform):
    profile = read_toml(f"platforms/{platform}/profile.toml")
    assert profile["name"] == platform
    rows = profile["counterpart"]
    assert unique([row["cuda"] for row in rows])
    for row in rows:
        assert row["source"], row
        assert row["kind"] in {"variable", "tool", "option", "library", "package", "path"}, row
        assert row["target"] or row.get("note"), row
    table = {row["cuda"]: row["target"] for row in read_tsv(f"platforms/{platform}/python_api.tsv")}
    for row in rows:
        if row["kind"] == "variable":
            target = f"env:{row['target']}" if row["target"] else ""
            assert table[f"env:{row['cuda']}"] == target, row["cuda"]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_profile_table_names_its_source(platform):
    profile = read_toml(f"platforms/{platform}/profile.toml")
    for name, table in profile.items():
        if isinstance(table, dict):
            assert table.get("source") or any(key.endswith("_source") for key in table), name
    for limit in read_toml(f"platforms/{platform}/adapter.toml")["limit"]:
        assert limit["source"] and limit["text"]
        assert_names(limit["api"], limit["api"])


@pytest.mark.parametrize("platform", PLATFORMS)
def test_cpp_rules_rename_as_the_vendor_does_and_spare_other_words(platform):
    rules = read_toml(f"platforms/{platform}/cpp_rules.toml")
    patterns = [re.compile(entry["pattern"]) for entry in rules["vocabulary"]]

    def renamed(name: str) -> str:
        if not any(pattern.fullmatch(name) for pattern in patterns):
            return name
        core = name.lstrip("_")
        lead = name[: len(name) - len(core)]
        fitting = [rule for rule in rules["prefix"] if core.startswith(rule["from"])]
        if fitting:
            rule = max(fitting, key=lambda entry: len(entry["from"]))
            core = rule["to"] + core.removeprefix(rule["from"])
        for rule in rules["segment"]:
            core = core.replace(rule["from"], rule["to"])
        return lead + core

    assert renamed("cudaMalloc") == "musaMalloc"
    assert renamed("cudaMemcpyAsync") == "musaMemcpyAsync"
    assert renamed("cuMemAlloc") == "muMemAlloc"
    assert renamed("CUdevice") == "MUdevice"
    assert renamed("cublasSgemm") == "mublasSgemm"
    assert renamed("__nv_bfloat16") == "__mt_bfloat16"
    assert renamed("CUDA_ERROR_INVALID_VALUE") == "MUSA_ERROR_INVALID_VALUE"
    assert renamed("nppsAdd_8u") == "mtppsAdd_8u"
    own = "cursor curr custom cumsum cutoff current CURRENT CURL nvals nvars cute cutlass cuda cuda_helper"
    for word in [*own.split(), "cudnnCreate", "ncclAllReduce"]:
        assert renamed(word) == word, word
    assert all(rule["rows"] > 0 for rule in rules["prefix"] + rules["segment"])


def test_packages():
    packages = read_toml("packages.toml")["package"]
    assert unique([package["name"] for package in packages])
    assert unique([name for package in packages for name in package["imports"]])
    assert unique([name for package in packages for name in package["distributions"]])
    for package in packages:
        where = package["name"]
        assert package["kind"] in {"nvidia-only", "cuda-bound", "multi-backend"}, where
        expected = "nvidia-only" if package["kind"] == "nvidia-only" else "package-extension"
        assert package["category"] == expected, where
        assert package["decision"] in DECISIONS, where
        assert package["imports"] or package["distributions"], where
        assert isinstance(package["optional"], bool), where
        assert package["advice"].endswith(".") and package["why"], where


def test_environment():
    variables = read_toml("environment.toml")["variable"]
    assert unique([variable["name"] for variable in variables])
    for variable in variables:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]*\*?", variable["name"]), variable
        assert variable["category"] in CATEGORIES, variable
        assert variable["decision"] in DECISIONS, variable
        assert variable["why"].endswith("."), variable
