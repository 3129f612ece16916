"""Runs of pisess in this process, or in a child that may be killed, with a home that belongs to the run alone."""

import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

from pisess_cli.cli import run


class Outcome(NamedTuple):
    """How a run ended, and what it said where. A killed one has the signal's number with a minus as its code."""

    code: int
    out: bytes
    err: bytes


def environment_of(home: Path, **more: str) -> dict[str, str]:
    """What a run in that home sees: nothing of whoever runs the tests but the PATH."""
    common = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return common | {"NO_COLOR": "1", "PISESS_PAGER": "", "PISESS_EDITOR": "true"} | more


@contextmanager
def inside(directory: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """What is done inside is done there, with that environment."""
    here, before = Path.cwd(), dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


class _Screen(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def run_here(words: list[str], *, on_terminal: bool = False) -> Outcome:
    """Runs the command line in this process; with `on_terminal` its stdout seems to be one."""
    out, err = io.BytesIO(), io.BytesIO()
    kind = _Screen if on_terminal else io.TextIOWrapper
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), kind(out), io.TextIOWrapper(err)
    try:
        code = run(words)
        sys.stdout.flush()
        sys.stderr.flush()
        return Outcome(code, out.getvalue(), err.getvalue())
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def in_child(work: Callable[[], Outcome]) -> Outcome:
    """What the work gives, done in a child process. This process must not have other threads."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        _answer(work, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return Outcome(code, b"", b"")
    told = json.loads(answer)
    return Outcome(told["code"], told["out"].encode("latin-1"), told["err"].encode("latin-1"))


def _answer(work: Callable[[], Outcome], writer: int) -> NoReturn:
    try:
        outcome = work()
    except BaseException:  # noqa: BLE001 - it has to be told, whatever it is
        outcome = Outcome(99, b"", traceback.format_exc().encode())
    told = {"code": outcome.code, "out": outcome.out.decode("latin-1"), "err": outcome.err.decode("latin-1")}
    with io.FileIO(writer, "w") as pipe:
        data = memoryview(json.dumps(told).encode())
        while data:
            data = data[pipe.write(data) :]
    os._exit(0)
