"""Many writers on one session: pisess processes that append, label, check out and compact, some of them killed, and Pi.

Each writer notes the id of every entry that it was told is written. In the end each noted entry stands in the file
exactly once, every line is whole, and each entry of pisess hangs below what was the leaf when it was written.
"""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from builder import session
from pisess_cli.core.errors import PisessError
from pisess_cli.core.manager import SessionManager
from pisess_cli.core.session.appender import Appender
from reliability.here import environment_of, inside, run_here

WRITERS = 8
_KILL_EVERY_S = 0.2
_TURNS_OF_A_MANAGER = 30
_LONGEST_RUN_S = 900
# A writer that is killed may have written what one command writes without having noted it.
_OF_A_KILLED_WRITER = 3
# A turn is a question and an answer, and in a process that has just begun a model, a thinking level, a system message.
_OF_A_TURN = 8
_PI_SCRIPT = Path(__file__).with_name("pi_writer.mjs")
_REFUSALS = (
    b"the session went on",
    b"nothing to compact",
    b"has a label already",
    b"no such entry",
    b"has no entry yet",
    b"already",
)

Json = dict[str, Any]


class Lost(AssertionError):
    """What must not be in the file, or is missing from it."""


class PiInstalled(NamedTuple):
    """The Node binary, and the node_modules folder that holds Pi."""

    node: Path
    modules: Path


class Writer:
    """One pisess process's work: `count` times something that writes, chosen by chance, noted in a file of its own."""

    def __init__(self, file: Path, home: Path, number: int, count: int) -> None:
        self._file = file
        self._home = home
        self._number = number
        self._count = count
        self._chance = random.Random(number)
        self._manager: SessionManager | None = None
        self.notes = home / f"notes-{number}-{os.urandom(4).hex()}"

    def work(self) -> None:
        """Does all of it."""
        ways: list[Callable[[int], list[str]]] = [self._by_api] * 6
        ways += [self._append, self._append, self._label, self._checkout, self._compact]
        with inside(self._home, environment_of(self._home)), self.notes.open("a") as notes:
            for turn in range(self._count):
                for entry_id in self._chance.choice(ways)(turn):
                    notes.write(entry_id + "\n")
                notes.flush()

    def _by_api(self, turn: int) -> list[str]:
        # A manager for many entries: it has to see what others write between them.
        if self._manager is None or not self._chance.randrange(_TURNS_OF_A_MANAGER):
            self._manager = SessionManager.open(self._file)
        words = "word " * self._chance.choice([1, 10, 100, 3000])
        message: Json = {"role": "user", "content": f"{self._number} says {turn} {words}", "timestamp": 0}
        return [self._manager.append_message(message), self._manager.append_custom_entry("of-pisess", {"turn": turn})]

    def _append(self, turn: int) -> list[str]:
        return self._run("append", "message", "-m", f"{self._number} says {turn}")

    def _label(self, turn: int) -> list[str]:
        return self._run("label", "-f", f"mark-{self._number}-{turn}-{os.urandom(4).hex()}")

    def _checkout(self, _: int) -> list[str]:
        return self._run("checkout", f"HEAD~{self._chance.randrange(1, 5)}")

    def _compact(self, turn: int) -> list[str]:
        return self._run("compact", "-m", f"summary {turn}", "--keep-recent", "10")

    def _run(self, *words: str) -> list[str]:
        done = run_here(["-q", "-s", str(self._file), *words])
        if done.code == 0:
            return done.out.decode().split()
        if not any(refusal in done.err for refusal in _REFUSALS):
            raise Lost(f"{words}: {done.err.decode()}")
        return []


class Crowd:
    """The writers' processes: started, killed now and then, and started again."""

    def __init__(self, file: Path, home: Path, count: int) -> None:
        self._file = file
        self._home = home
        self._count = count
        self._running: dict[int, Writer] = {}
        self.notes: list[Path] = []
        self.kills = 0

    def start(self, number: int) -> None:
        """Starts a writer in a process of its own."""
        writer = Writer(self._file, self._home, number, self._count)
        self.notes.append(writer.notes)
        child = os.fork()
        if not child:
            code = 1
            try:
                writer.work()
                code = 0
            except BaseException as error:  # noqa: BLE001 - what it was is told in the notes' place
                writer.notes.with_suffix(".failed").write_text(repr(error))
            finally:
                os._exit(code)
        self._running[child] = writer

    def wait(self, kills: int) -> None:
        """Waits for all of them; so many are killed on the way, and others started for them."""
        end = time.monotonic() + _LONGEST_RUN_S
        next_kill = time.monotonic() + _KILL_EVERY_S
        while self._running:
            if time.monotonic() > end:
                raise Lost("the writers wait for each other")
            ended = [waited for child in self._running if (waited := os.waitpid(child, os.WNOHANG))[0]]
            for child, status in ended:
                self._ended(child, os.waitstatus_to_exitcode(status))
            if ended:
                continue
            if self.kills < kills and time.monotonic() > next_kill:
                next_kill = time.monotonic() + _KILL_EVERY_S
                os.kill(random.choice(list(self._running)), signal.SIGKILL)
                self.kills += 1
            else:
                time.sleep(0.01)

    def _ended(self, child: int, code: int) -> None:
        writer = self._running.pop(child)
        if code == -signal.SIGKILL:
            self.start(1000 + len(self.notes))
        elif code:
            raise Lost(writer.notes.with_suffix(".failed").read_text())


def check(
    file: Path, first: bytes, of_pisess: list[str], of_pi: list[str], *, kills: int, turns: int
) -> dict[str, int]:
    """What the file holds against what was noted. Raises `Lost`."""
    data = file.read_bytes()
    if not data.startswith(first):
        raise Lost("what was there before is not any more")
    lines = data[len(first) :].split(b"\n")
    entries = [_value(line) for line in lines if line]
    torn = entries.count(None)
    # A kill within the kernel's own copying of a long line leaves its beginning; what follows begins a new line.
    if torn > kills or lines[-1]:
        raise Lost(f"{torn} torn lines, and {lines[-1]!r}")
    standing = Counter(entry["id"] for entry in entries if entry)
    noted = [*of_pisess, *of_pi]
    missing = [entry_id for entry_id in noted if standing[entry_id] != 1]
    if missing or len(noted) != len(set(noted)):
        raise Lost(f"{len(missing)} entries are lost or stand twice: {missing[:3]}")
    unnoted = len(standing) - len(noted)
    if unnoted > _OF_A_KILLED_WRITER * kills + _OF_A_TURN * turns:
        raise Lost(f"{unnoted} entries that nobody wrote")
    beside = _check_parents(first, [entry for entry in entries if entry], set(of_pisess))
    return {"lines": len(entries), "Pi wrote between look and write": beside, "torn by a kill": torn, "lost": 0}


def _value(line: bytes) -> Json | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _check_parents(first: bytes, entries: list[Json], of_pisess: set[str]) -> int:
    # Each entry of pisess but a move hangs below the entry on the line before it. Pi takes no lock: where its lines
    # came between a look and a write, the parent stands right before those.
    before = [json.loads(line) for line in first.split(b"\n") if line]
    known = {entry["id"] for entry in before}
    beside = 0
    leaves = [before[-1]["id"]]
    for entry in entries:
        parent = entry["parentId"]
        if parent is not None and parent not in known:
            raise Lost(f"a parent that is not above it: {entry}")
        if entry["id"] in of_pisess and entry.get("customType") != "pisess.checkout":
            if parent not in leaves:
                raise Lost(f"not below the leaf {leaves}: {entry}")
            beside += parent != leaves[-1]
        known.add(entry["id"])
        leaves = [entry["id"]] if entry["id"] in of_pisess else [*leaves, entry["id"]]
    return beside


def run(scratch: Path, *, full: bool, pi: PiInstalled | None = None) -> dict[str, int]:
    """All writers on one session; gives the figures. Raises `Lost`."""
    home = scratch / "home"
    folder = scratch / "sessions"
    for directory in (home, folder):
        directory.mkdir()
    of_pi_home = scratch / "pi"
    file = session(cwd=str(of_pi_home / "home" / "project")).user("hi").assistant("yes").write(folder)
    first = file.read_bytes()
    count, kills, turns = (1000, 60, 12) if full else (40, 6, 0)
    crowd = Crowd(file, home, count)
    for number in range(WRITERS):
        crowd.start(number)
    driver = _start_pi(pi, file, entries=3000 if full else 60) if pi else None
    talker = _start_turns(pi, file, of_pi_home, turns) if pi and turns else None
    crowd.wait(kills)
    of_pi = _end_pi(driver)
    if talker is not None and os.waitpid(talker, 0)[1]:
        raise Lost("pi -p failed")
    of_pisess = [line for notes in crowd.notes for line in notes.read_text().splitlines()]
    if list(folder.iterdir()) != [file]:
        raise Lost(f"something was left behind: {list(folder.iterdir())}")
    found = check(file, first, of_pisess, of_pi, kills=crowd.kills, turns=turns)
    for number in range(turns if pi else 0):
        if file.read_bytes().count(f'"Turn {number}."'.encode()) != 1:
            raise Lost(f"turn {number} of pi -p")
    _check_lock_is_free(file)
    figures = {"pisess writes": len(of_pisess), "Pi writes": len(of_pi), "turns of pi -p": turns if pi else 0}
    return {**figures, "writers killed": crowd.kills, **found}


def _start_pi(pi: PiInstalled, file: Path, *, entries: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [str(pi.node), str(_PI_SCRIPT), str(file), str(entries), "5"],
        env={"PATH": os.environ.get("PATH", os.defpath), "PI_NODE_MODULES": str(pi.modules)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def _start_turns(pi: PiInstalled, file: Path, scratch: Path, turns: int) -> int:
    # In a process of its own: the model's stand-in has threads, and this one goes on to fork.
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        from interop.pi import Pi, PiTree
        from interop.standin import StandIn

        with StandIn() as model:
            real = Pi(PiTree(pi.node, pi.modules), scratch, model)
            for number in range(turns):
                real.say(f"Turn {number}.", session=file)
        code = 0
    finally:
        os._exit(code)


def _end_pi(driver: "subprocess.Popen[str] | None") -> list[str]:
    if driver is None:
        return []
    written, _ = driver.communicate(timeout=_LONGEST_RUN_S)
    if driver.returncode:
        raise Lost(f"Pi failed: {driver.returncode}")
    return written.split()


def _check_lock_is_free(file: Path) -> None:
    start = time.monotonic()
    try:
        with Appender(file):
            pass
    except PisessError as error:
        raise Lost(f"a killed writer's lock stays: {error}") from error
    if time.monotonic() - start > 5:
        raise Lost("a killed writer's lock blocks for long")
