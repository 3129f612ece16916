"""Faults at every call that writes: errors, short writes, and the end of the process right before or after the call.

The calls of `os` are replaced, and files that are opened for writing get a raw layer that goes through them, so that
buffered writes are met too. Every point is tried in a child process of its own. In full, the same is done from outside
with strace, where it is there: then every system call of the process is met, whoever makes it.
"""

import builtins
import errno
import io
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from reliability.here import Outcome, in_child
from reliability.operations import OPERATIONS, Damage, Home, Operation, files_in

CALLS = [
    "open",
    "write",
    "fsync",
    "fdatasync",
    "link",
    "replace",
    "rename",
    "unlink",
    "mkdir",
    "rmdir",
    "ftruncate",
    "fchmod",
    "utime",
    "chmod",
]
_SHORT = ("write",)
_SHORT_STRIDE = 8
STRACE_CALLS = (
    "write,pwrite64,fsync,fdatasync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,ftruncate,"
    "fchmod,chmod,utimensat"
)


class Fault(NamedTuple):
    """What goes wrong at the call with that number, counted from 1: `kill`, `killed after`, `short`, an errno."""

    at: int
    kind: str


class Layer:
    """Counts the calls that write, and lets one of them go wrong; after a short write the disk stays full."""

    def __init__(self, fault: Fault | None) -> None:
        self.calls: list[str] = []
        self._fault = fault
        self._is_full = False

    @contextmanager
    def installed(self) -> Iterator["Layer"]:
        """Every call inside goes through this layer."""
        real_open, real_path_open = builtins.open, Path.open
        with mock.patch.multiple(os, **{name: self._wrapped(name, getattr(os, name)) for name in CALLS}):
            replaced = _raw_open(real_open)
            with (
                mock.patch.object(builtins, "open", replaced),
                mock.patch.object(
                    Path, "open", lambda path, *args, **kwargs: _raw_path_open(real_path_open, path, *args, **kwargs)
                ),
            ):
                yield self

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if name == "open" and not _creates(args, kwargs):
                return real(*args, **kwargs)
            self.calls.append(name)
            fault = self._fault
            if self._is_full and name in _SHORT:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if fault is None or len(self.calls) != fault.at:
                return real(*args, **kwargs)
            return self._go_wrong(fault.kind, name, real, args, kwargs)

        return call

    def _go_wrong(self, kind: str, name: str, real: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "killed after":
            real(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "short":
            self._is_full = True
            if name == "write":
                return real(args[0], bytes(args[1])[: len(args[1]) // 2])
            kind = "ENOSPC"
        code = getattr(errno, kind)
        raise OSError(code, os.strerror(code))


def _creates(args: Any, kwargs: Any) -> bool:
    flags = args[1] if len(args) > 1 else kwargs.get("flags", 0)
    return bool(flags & os.O_CREAT)


class _Raw(io.FileIO):
    # Where the interpreter would make the system call itself.
    def write(self, data: Any) -> int:
        return os.write(self.fileno(), data)


def _raw_open(real: Callable[..., Any]) -> Callable[..., Any]:
    def replaced(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if mode in ("wb", "r+b", "ab", "xb") and not args:
            raw = _Raw(file, mode.replace("b", ""), closefd=kwargs.get("closefd", True))
            return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return real(file, mode, *args, **kwargs)

    return replaced


def _raw_path_open(real: Callable[..., Any], path: Path, *args: Any, **kwargs: Any) -> Any:
    mode = args[0] if args else kwargs.get("mode", "r")
    if mode in ("wb", "r+b", "ab", "xb"):
        return _raw_open(open)(path, mode)
    return real(path, *args, **kwargs)


KINDS = ("kill", "killed after", "ENOSPC", "EIO", "short", "EACCES", "EROFS", "EDQUOT", "EINTR")
_ON_NAMES_ONLY = ("EACCES", "EROFS")
_NAMES = ("open", "link", "replace", "rename", "unlink", "mkdir", "rmdir")


class Trial:
    """Tries operations in homes below a scratch directory, and counts."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._number = count()
        self.figures = {"faults injected": 0, "kills": 0, "second tries": 0, "lost": 0}

    @contextmanager
    def home(self, operation: Operation) -> Iterator[Home]:
        """A home for one try."""
        root = self._scratch / str(next(self._number))
        try:
            yield Home(root, operation)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def calls_of(self, operation: Operation) -> list[str]:
        """The calls that the operation makes when all goes well."""
        with self.home(operation) as home:
            layer = Layer(None)
            with layer.installed():
                outcome = home.run()
            if outcome.code or not home.check(outcome, may_leave_litter=False) == _changes_something(operation):
                raise Damage(f"{operation.name} does not work: {outcome}")
            return layer.calls

    def inject(self, operation: Operation, fault: Fault, call: str) -> None:
        """Tries the operation with the fault, then without; `call` is the name of what it meets."""

        def work(home: Home) -> Outcome:
            with Layer(fault).installed():
                return home.run()

        what = f"{fault.kind} at call {fault.at}, {call}"
        self.attempt(operation, what, lambda home: in_child(lambda: work(home)))

    def attempt(self, operation: Operation, what: str, first: Callable[[Home], Outcome]) -> None:
        """Tries the operation in the way that `first` does, checks, and tries it once more. Raises `Damage`."""
        with self.home(operation) as home:
            outcome = first(home)
            self.figures["faults injected"] += 1
            self.figures["kills"] += outcome.code < 0
            try:
                # Only a kill, or a system that does not take the file away, leaves a temporary file behind.
                has_changed = home.check(outcome, may_leave_litter=outcome.code < 0 or "unlink" in what)
                if outcome.code == 0 and not has_changed and _changes_something(operation):
                    raise Damage("it said that it was done")
                self._try_again(home, has_changed=has_changed)
            except Damage as damage:
                raise Damage(f"{operation.name}, {what}: {damage} {outcome}") from None

    def _try_again(self, home: Home, *, has_changed: bool) -> None:
        held = files_in(home.root)
        outcome = home.run()
        self.figures["second tries"] += 1
        if outcome.code and not has_changed:
            raise Damage(f"the second try fails: {outcome.err.decode()}")
        home.check(outcome, may_leave_litter=True)
        for path, data in held.items():
            if (
                path.suffix == ".jsonl"
                and home.operation.words[0] != "mv"
                and home.operation.session().header["version"] == 3
            ):
                now = home.root / path
                if not path.name.startswith(".") and not now.read_bytes().startswith(data):
                    raise Damage(f"the second try took something from {path.name}")


def _changes_something(operation: Operation) -> bool:
    return operation.words[0] != "find"


def inject_everywhere(trial: Trial, *, full: bool) -> None:
    """Every call of every operation with every kind of fault; the short form tries one in a few of them."""
    number = 0
    for operation in OPERATIONS:
        for at, name in enumerate(trial.calls_of(operation), 1):
            for kind in KINDS:
                if (kind == "short" and name not in _SHORT) or (kind in _ON_NAMES_ONLY and name not in _NAMES):
                    continue
                number += 1
                if full or number % _SHORT_STRIDE == 0:
                    trial.inject(operation, Fault(at, kind), name)


def fill_up(trial: Trial, *, full: bool) -> None:
    """The disk is full after k bytes, for every k of what is written; the kernel itself cuts the write short."""
    for operation in OPERATIONS:
        if operation.words[0] not in ("append", "label", "fork", "migrate", "mv", "config", "compact"):
            continue
        with trial.home(operation) as home:
            start = home.session.stat().st_size
            home.run()
            grown = max((len(data) for path, data in files_in(home.root).items()), default=start)
        first = 0 if operation.words[0] in ("fork", "migrate", "mv", "config") else start
        step = 1 if full and grown - first < 3000 else max(1, (grown - first) // (400 if full else 8))
        for room in range(first, grown, step):
            trial.attempt(
                operation, f"room for {room} bytes", lambda home, room=room: in_child(lambda: _with_room(home, room))
            )


def _with_room(home: Home, room: int) -> Outcome:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    return home.run()


def interrupt(trial: Trial) -> None:
    """Signals rain on the process while it writes: each interrupted call goes on."""
    for operation in OPERATIONS:
        trial.attempt(operation, "signals", lambda home: in_child(lambda: _in_the_rain(home)))


def _in_the_rain(home: Home) -> Outcome:
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    try:
        return home.run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def inject_from_outside(trial: Trial, *, full: bool) -> None:
    """The same with strace, which kills or fails a process at its nth system call that writes."""
    if not shutil.which("strace"):
        return
    for operation in OPERATIONS if full else OPERATIONS[:1]:
        met: Counter[str] = Counter()
        for name in _calls_seen_by_strace(trial, operation)[: None if full else 2]:
            # strace counts each kind of call by itself.
            met[name] += 1
            for how in ("signal=KILL", "error=EIO", "error=ENOSPC", "error=EINTR") if full else ("signal=KILL",):
                what = f"{name}:{how}:when={met[name]}"
                trial.attempt(operation, f"strace {what}", lambda home, what=what: _strace(home, what))


def _calls_seen_by_strace(trial: Trial, operation: Operation) -> list[str]:
    with trial.home(operation) as home:
        trace = home.root / "trace"
        _strace(home, None, trace)
        return re.findall(r"^(\w+)\(", trace.read_text("utf-8", "replace"), re.MULTILINE)


def _strace(home: Home, inject: str | None, trace: Path = Path(os.devnull)) -> Outcome:
    # What is written to the terminal's streams is no file's: it goes to files of our own outside the home.
    which = ["-e", f"inject={inject}"] if inject else ["-e", f"trace={STRACE_CALLS}"]
    command = ["strace", "-qq", "-e", f"trace={STRACE_CALLS}", *which, "-o", str(trace)]
    done = subprocess.run(
        [*command, sys.executable, "-m", "pisess_cli", *home.words],
        cwd=home.project,
        env=home.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run(scratch: Path, *, full: bool) -> dict[str, int]:
    """All of them; gives the figures. Raises `Damage`."""
    trial = Trial(scratch)
    inject_everywhere(trial, full=full)
    fill_up(trial, full=full)
    interrupt(trial)
    inject_from_outside(trial, full=full)
    return trial.figures
