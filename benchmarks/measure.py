"""Runs programs in turn and compares what they took."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

_READ = 1024 * 1024
_KIB = 1024
_SAMPLE_EVERY_S = 0.005


class Failed(Exception):
    """A program did not do what it should; the message is its own."""


class Work(NamedTuple):
    """A program to run, what has to be done before each run, and the exit codes that mean that it went well."""

    words: Sequence[str | Path]
    prepare: Callable[[], object] = lambda: None
    env: Mapping[str, str] = {}


class Sample(NamedTuple):
    """One run: seconds by the clock and of the processors, and the most memory that one of its processes had."""

    wall: float
    cpu: float
    memory: int


class Comparison(NamedTuple):
    """Medians of both sides in seconds, the medians of the ratios of each round, and the most memory of each side."""

    ours: float
    theirs: float
    ratio: float
    cpu_ratio: float
    memory: int
    their_memory: int


class Runner:
    """Runs programs in an environment of their own: no settings of the user's, none that slow Python down."""

    def __init__(self, home: Path) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
        self.env = {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def once(self, work: Work) -> Sample:
        """One run; its output goes into a pipe that is read to its end. Raises `Failed`."""
        work.prepare()
        start = time.perf_counter()
        process = self._start(work)
        assert process.stdout is not None
        while os.read(process.stdout.fileno(), _READ):
            pass
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        self._check(work, process, status)
        return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _KIB)

    def in_turn(self, works: Sequence[Work], rounds: int) -> list[list[Sample]]:
        """So many rounds in which each of the works is run once; a round before them warms up and does not count."""
        for work in works:
            self.once(work)
        return [[self.once(work) for work in works] for _ in range(rounds)]

    def memory(self, work: Work) -> int:
        """The most memory that a program and its children had at one time; shared pages count once."""
        work.prepare()
        process = self._start(work)
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        most = 0
        while True:
            most = max(most, sum(map(_proportional_size, _family(process.pid))))
            try:
                if not os.read(process.stdout.fileno(), _READ):
                    break
            except BlockingIOError:
                time.sleep(_SAMPLE_EVERY_S)
        _, status, usage = os.wait4(process.pid, 0)
        self._check(work, process, status)
        return max(most, usage.ru_maxrss * _KIB)

    def _start(self, work: Work) -> "subprocess.Popen[bytes]":
        words = list(map(str, work.words))
        return subprocess.Popen(
            words,
            env={**self.env, **work.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @staticmethod
    def _check(work: Work, process: "subprocess.Popen[bytes]", status: int) -> None:
        process.returncode = os.waitstatus_to_exitcode(status)
        with process:
            assert process.stderr is not None
            said = process.stderr.read().decode("utf-8", "replace").strip()
        if process.returncode:
            last = said.splitlines()[-1] if said else ""
            raise Failed(f"{Path(work.words[0]).name} ended with {process.returncode}: {last}")


def compare(rounds: Sequence[Sequence[Sample]]) -> Comparison:
    """Our run against theirs, in each round the first and the last; what stands between them is taken off ours."""
    ours = [first.wall - sum(less.wall for less in between) for first, *between, _ in rounds]
    cpu = [first.cpu - sum(less.cpu for less in between) for first, *between, _ in rounds]
    theirs = [last for *_, last in rounds]
    return Comparison(
        ours=median(ours),
        theirs=median(last.wall for last in theirs),
        ratio=median(mine / last.wall for mine, last in zip(ours, theirs, strict=True)),
        cpu_ratio=median(mine / max(last.cpu, 1e-4) for mine, last in zip(cpu, theirs, strict=True)),
        memory=max(first.memory for first, *_ in rounds),
        their_memory=max(last.memory for last in theirs),
    )


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from _family(int(child))


def _proportional_size(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * _KIB for line in rollup.splitlines() if line.startswith("Pss:"))
