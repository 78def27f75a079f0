"""Runs as much of a module as can be: every statement, then every function and method with made-up arguments. Reads jobs
(JSON, a list of {root, path, choice}) from standard input and writes what each recorded, one JSON line a job. Needs the
recording torch on the path."""

from __future__ import annotations
import __future__

import argparse
import ast
import builtins
import contextlib
import importlib
import inspect
import itertools
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import _calls
from torch._calls import STATE, Value

SECONDS = 60
MOST_CALLS = 2000
HELPERS = ("accelerator", "accelport_device")
RecordedError = (Exception, SystemExit, pytest.fail.Exception, pytest.skip.Exception)


def note(kind: str, *what: Any) -> None:
    STATE.calls.append({"event": kind, "what": [_calls.shown(w) for w in what]})


def failed(where: str, error: BaseException) -> None:
    """That `.cuda` is `.to` now shows where there is neither, so an attribute that is missing is not named."""
    text = "" if isinstance(error, AttributeError) else _calls.ADDRESS.sub("", str(error))
    note("error", where, type(error).__name__, text)


def stop_clocks() -> None:
    """Every look at a clock gives a second more than the one before."""
    seconds = itertools.count(1_000_000)
    for name in ("time", "perf_counter", "monotonic", "process_time"):
        setattr(time, name, lambda: float(next(seconds)))
    time.sleep = lambda _: None


def free_names(tree: ast.Module) -> set[str]:
    """Names that are read; those that nothing binds stand for what the example leaves out."""
    loads = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return {name for name in loads if not hasattr(builtins, name) and name not in HELPERS}


class Exercise:
    def __init__(self, root: Path, path: str) -> None:
        self.root, self.path = root, path
        self.variables = dict(os.environ)
        parts = Path(path).with_suffix("").parts
        folder = (root / path).parent
        is_package = (folder / "__init__.py").exists()
        if parts[-1] == "__init__":
            parts = parts[:-1] or parts
        self.name = ".".join(parts) if is_package else parts[-1]
        self.module = types.ModuleType(self.name)
        self.module.__file__ = str(root / path)
        if is_package:
            self.module.__package__ = ".".join(Path(path).parent.parts)
            if Path(path).name == "__init__.py":
                self.module.__path__ = [str(folder)]
        sys.path[:0] = [str(folder), str(root)]

    def run(self) -> None:
        text = (self.root / self.path).read_bytes()
        tree = ast.parse(text, self.path)
        space = self.module.__dict__
        for name in sorted(free_names(tree)):
            space[name] = Value(name)
        if self.module.__package__ and self.module.__package__ != self.name:
            with contextlib.suppress(*RecordedError):
                importlib.import_module(self.module.__package__)
            STATE.calls.clear()
        sys.modules[self.name] = self.module
        flags = 0
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                for item in statement.names:
                    flags |= getattr(__future__, item.name).compiler_flag
        for statement in tree.body:
            is_import = isinstance(statement, ast.Import | ast.ImportFrom)
            body = ast.Module([statement], [])
            try:
                exec(compile(body, self.path, "exec", flags, True), space)
            except RecordedError as error:
                if is_import and isinstance(error, ModuleNotFoundError):
                    raise
                failed("module", error)
        self.call_all()
        self.note_values()
        self.note_effects()

    def call_all(self) -> None:
        for name, value in list(self.module.__dict__.items()):
            if isinstance(value, types.FunctionType) and value.__module__ == self.name:
                self.call(name, value)
            elif isinstance(value, type) and value.__module__ == self.name:
                self.call_class(name, value)

    def call_class(self, name: str, cls: type) -> None:
        try:
            instance = cls(*self.made_up(cls.__init__)[1:])
        except RecordedError as error:
            failed(name, error)
            instance = Value(name)
        for method, function in list(vars(cls).items()):
            plain = function.__func__ if isinstance(function, staticmethod | classmethod) else function
            if isinstance(plain, property):
                plain = plain.fget
            if not isinstance(plain, types.FunctionType) or method == "__init__":
                continue
            arguments = self.made_up(plain)
            if not isinstance(function, staticmethod) and arguments:
                arguments[0] = cls if isinstance(function, classmethod) else instance
            self.call(f"{name}.{method}", plain, arguments)

    def made_up(self, function: Any) -> list[Any]:
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return [Value("self")]
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [Value(p.name) for p in parameters if p.kind in kinds and p.default is p.empty]

    def call(self, name: str, function: types.FunctionType, arguments: list[Any] | None = None) -> None:
        note("defaults", name, function.__defaults__, function.__kwdefaults__)
        try:
            keywords = {
                p.name: Value(p.name)
                for p in inspect.signature(function).parameters.values()
                if p.kind is p.KEYWORD_ONLY and p.default is p.empty
            }
            result = function(*(self.made_up(function) if arguments is None else arguments), **keywords)
            if isinstance(result, types.GeneratorType):
                result = [item for _, item in zip(range(3), result, strict=False)]
            elif isinstance(result, types.CoroutineType):
                result.close()
            note("result", name, result)
        except RecordedError as error:
            failed(name, error)

    def note_effects(self) -> None:
        """What was put into the environment and into torch."""
        changed = {k: v for k, v in os.environ.items() if self.variables.get(k) != v}
        note("environment", sorted(changed.items()), sorted(self.variables.keys() - os.environ.keys()))
        for name, value in sorted(vars(torch.cuda).items()):
            if isinstance(value, types.FunctionType) and value.__module__ == self.name:
                note("patched", name, value)

    def note_parser(self, name: str, parser: argparse.ArgumentParser) -> None:
        rows = [[a.dest, a.default, list(a.choices or [])] for a in parser._actions]
        note("parser", name, rows)

    def note_values(self) -> None:
        """What the module's names are in the end; modules and what only another name for something of torch is left out.
        A function of the helper is called, as is what it stands for."""
        plain = str | bytes | int | float | list | tuple | dict | set | torch.device | type(None)
        for name, value in sorted(self.module.__dict__.items()):
            if name.startswith("__"):
                continue
            if isinstance(value, argparse.ArgumentParser):
                self.note_parser(name, value)
            of_helper = isinstance(value, types.FunctionType) and value.__module__.rpartition(".")[2] in HELPERS
            label = Value.recorded_label(value) if isinstance(value, Value) else ""
            if of_helper or label.startswith("torch.cuda."):
                try:
                    note("alias", name, value())
                except RecordedError as error:
                    failed(name, error)
            elif isinstance(value, plain) or (label and not label.startswith("torch.")):
                note("value", name, value)


def run(job: dict[str, Any]) -> dict[str, Any]:
    STATE.calls.clear()
    STATE.choice = job["choice"]
    reason = ""
    try:
        Exercise(Path(job["root"]), job["path"]).run()
    except _calls.Stopped:
        note("stopped")
    except (SyntaxError, ModuleNotFoundError, TimeoutError) as error:
        reason = f"{type(error).__name__}: {error}"
    except Exception as error:
        note("gave up", traceback.format_exc())
        reason = f"{type(error).__name__}: {error}"
    for call in STATE.calls:
        call.pop("at", None)
    return {"calls": STATE.calls, "not_run": reason}


def late(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def child(job: dict[str, Any], pipe: int) -> None:
    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    sys.argv = ["program"]
    stop_clocks()
    sys.stdin = open(os.devnull)  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        text = json.dumps(run(job), default=_calls.shown)
    with os.fdopen(pipe, "w") as out:
        out.write(text.replace(job["root"], "ROOT"))


def main() -> None:
    _calls.STEPS = MOST_CALLS
    for job in json.load(sys.stdin):
        reader, writer = os.pipe()
        number = os.fork()
        if number == 0:
            os.close(reader)
            try:
                child(job, writer)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            text = pipe.read()
        os.waitpid(number, 0)
        print(text or json.dumps({"calls": [], "not_run": "the process died"}), flush=True)


if __name__ == "__main__":
    main()
