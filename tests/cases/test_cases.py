"""Faults that session files of coding agents were reported to have or to cause, one folder each.

A folder holds the input files, or `make.py DIRECTORY` that makes them, and `case.json`: the `source` of the report, the
`fault` in words, and `runs` of pisess that share a fresh copy of the folder. In the `args` of a run `{dir}` is that copy,
and `{name}` the last line that a run with `"save": "name"` has printed. What a run is checked for are the names of
the functions below; `exit` is a number or several.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pisess_cli.cli import COMMANDS
from running import FileState, Pisess, Result, state_of

HERE = Path(__file__).resolve().parent
CASES = sorted(path.parent for path in HERE.glob("*/case.json"))
LONG_AGO_NS = 1_500_000_000_000_000_000
TIMEOUT_S = 60


class Folder:
    """The copy of a case's folder in which its runs take place."""

    def __init__(self, case: Path, place: Path) -> None:
        self.path = place / case.name
        shutil.copytree(case, self.path, symlinks=True)
        (self.path / "case.json").unlink()
        maker = self.path / "make.py"
        if maker.exists():
            subprocess.run([sys.executable, str(maker), str(self.path)], check=True, timeout=TIMEOUT_S)
            maker.unlink()
        else:
            for file in self.path.rglob("*"):
                os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))
        self.inputs = list(state_of(self.path))
        self.saved: dict[str, Any] = {"dir": str(self.path)}

    def filled_in(self, word: str) -> str:
        for name, value in self.saved.items():
            word = word.replace(f"{{{name}}}", str(value))
        return word


class Run:
    """One run of a case: the folder, the files before and after, and what came of it."""

    def __init__(self, folder: Folder, before: dict[Path, FileState], result: Result) -> None:
        self.folder = folder
        self.before = before
        self.after = state_of(folder.path)
        self.out = result.out
        self.err = result.err
        self.code = result.code

    @property
    def lines(self) -> list[str]:
        return [line for line in self.out.split("\n") if line]

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What stands on the lines of stdout as JSON."""
        return [json.loads(line) for line in self.lines]


def exit_(run: Run, wanted: int | list[int]) -> None:
    assert run.code in ([wanted] if isinstance(wanted, int) else wanted), run.err


def out_has(run: Run, parts: list[str]) -> None:
    assert [part for part in parts if part not in run.out] == []


def out_lacks(run: Run, parts: list[str]) -> None:
    assert [part for part in parts if part in run.out] == []


def err_has(run: Run, parts: list[str]) -> None:
    assert [part for part in parts if part not in run.err] == []


def err_lacks(run: Run, parts: list[str]) -> None:
    assert [part for part in parts if part in run.err] == []


def lines(run: Run, count: int) -> None:
    """So many JSON lines were printed."""
    assert len(run.objects) == count


def ids(run: Run, wanted: list[str]) -> None:
    """The ids of the JSON lines, in order."""
    assert [entry["id"] for entry in run.objects] == wanted


def texts(run: Run, wanted: list[str]) -> None:
    """The texts of the messages that were printed as JSON lines, in order."""
    assert [_text(message.get("content")) for message in run.objects] == wanted


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or [])


def json_has(run: Run, fields: dict[str, Any]) -> None:
    """One of the JSON lines has each of the fields, so."""
    assert any(all(found.get(key, ...) == value for key, value in fields.items()) for found in run.objects)


def unchanged(run: Run, _: bool) -> None:
    """Every input file has its bytes and its time."""
    assert {path: run.after.get(path) for path in run.folder.inputs} == {
        path: run.before.get(path) for path in run.folder.inputs
    }


def unchanged_file(run: Run, name: str) -> None:
    path = run.folder.path / name
    assert run.after[path] == run.before[path]


def appended_only(run: Run, _: bool) -> None:
    """`input.jsonl` is what it was, and whole lines more."""
    path = run.folder.path / "input.jsonl"
    before, after = run.before[path].data, run.after[path].data
    assert after.startswith(before)
    assert len(after) > len(before)
    assert after.endswith(b"\n")


def file_lacks(run: Run, files: dict[str, list[str]]) -> None:
    """The files are there and hold none of the parts."""
    for name, parts in files.items():
        content = run.after[run.folder.path / name].data.decode()
        assert [part for part in parts if part in content] == []


def save(run: Run, name: str) -> None:
    run.folder.saved[name] = run.lines[-1]


def save_ids(run: Run, name: str) -> None:
    run.folder.saved[name] = [entry["id"] for entry in run.objects]


def same_ids(run: Run, name: str) -> None:
    assert [entry["id"] for entry in run.objects] == run.folder.saved[name]


CHECKS: dict[str, Callable[[Run, Any], None]] = {
    check.__name__.rstrip("_"): check
    for check in (
        exit_,
        out_has,
        out_lacks,
        err_has,
        err_lacks,
        lines,
        ids,
        texts,
        json_has,
        unchanged,
        unchanged_file,
        appended_only,
        file_lacks,
        save,
        save_ids,
        same_ids,
    )
}


def command_of(args: list[str]) -> str:
    """The command among the words of a command line."""
    return next(word for word in args if word in COMMANDS)


def in_a_process(pisess: Pisess, args: list[str], env: dict[str, str]) -> Result:
    """Runs it in a process of its own: what the interpreter reads of the environment at its start counts too."""
    done = subprocess.run(
        [sys.executable, "-m", "pisess_cli", *args],
        env=pisess.env | env,
        cwd=pisess.project,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reported_fault_is_none_of_ours(pisess: Pisess, tmp_path: Path, case: Path) -> None:
    folder = Folder(case, tmp_path)
    for described in json.loads((case / "case.json").read_text())["runs"]:
        args = [folder.filled_in(word) for word in described.pop("args")]
        env = described.pop("env", None)
        before = state_of(folder.path)

        result = pisess(*args) if env is None else in_a_process(pisess, args, env)

        run = Run(folder, before, result)
        assert "Traceback" not in run.err
        for name, wanted in described.items():
            CHECKS[name](run, wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_names_its_report_and_its_fault_and_checks_commands_that_there_are(case: Path) -> None:
    described = json.loads((case / "case.json").read_text())

    assert set(described) == {"source", "fault", "runs"}
    for run in described["runs"]:
        assert command_of(run["args"])
        assert set(run) - {"args", "env"} <= set(CHECKS)
        assert "exit" in run
