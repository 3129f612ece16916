"""How much memory hostile files take, and how long: every command in a process of its own.

What is stated is so many times the file's size, and so many bytes for each line and each JSON value in it, beyond what
a run on a small session takes: that is Python and pisess themselves.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from builder import talk
from hostile import header
from reliability.here import environment_of

SIZE = 500_000
FULL_SIZE = 2_000_000
MOST_TIMES = 25
MOST_BYTES_PER_VALUE = 700
"""A line of two bytes becomes an entry, or a finding of `fsck`."""
_START_S = 20.0
_SLOWEST_S_PER_VALUE = 0.0001

COMMANDS = [
    "log -n 5",
    "log --all --oneline",
    "log --graph --all",
    "show HEAD",
    "show-context",
    "show-context --explain",
    "branch",
    "stats",
    "diff HEAD~1 HEAD",
    "find",
    "find zebra",
    "fsck",
    "export --format html",
    "export --format markdown --all",
    "compact --dry-run",
    "label mark",
    "fork",
    "prune --max-output 100 --strip-images --keep HEAD",
    "redact --text zebra",
    "find --secrets",
    "rev-parse :/zebra",
]
_QUICK = ("log --graph --all", "fsck", "show-context")


class TooMuch(AssertionError):
    """A command took more memory or time than is stated."""


def _message(number: int, content: object) -> bytes:
    parent = f"{number - 1:08x}" if number else None
    message = {"role": "user", "content": content, "timestamp": 1}
    entry = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": "2026-03-01T10:00:00.000Z"}
    return json.dumps({**entry, "message": message}, ensure_ascii=False).encode() + b"\n"


def _repeated(line: bytes) -> Callable[[int], Iterator[bytes]]:
    return lambda size: iter([_message(0, "hi"), line * (size // len(line))])


def _one(content: Callable[[int], object]) -> Callable[[int], Iterator[bytes]]:
    return lambda size: iter([_message(0, "hi"), _message(1, content(size))])


def _chain(size: int) -> Iterator[bytes]:
    return (_message(number, "word") for number in range(size // len(_message(10**6, "word"))))


def _fan(size: int) -> Iterator[bytes]:
    for number in range(size // 150):
        yield _message(number, "word").replace(f'"{number - 1:08x}"'.encode(), b'"00000000"')


def _labels(size: int) -> Iterator[bytes]:
    yield _message(0, "hi")
    for number in range(size // 110):
        yield b'{"type":"label","id":"a%07x","parentId":"00000000","targetId":"00000000","label":"l%d"}\n' % (
            number,
            number,
        )


KINDS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "one long text": _one(lambda size: "word " * (size // 5)),
    "one text of controls": _one(lambda size: "\x1b[31m\n" * (size // 11)),
    "many blocks": _one(lambda size: [{"type": "text", "text": "a"}] * (size // 30)),
    "many keys": _one(lambda size: {f"key{number}": number for number in range(size // 20)}),
    "one deep value": lambda size: iter([_message(0, "hi"), b"[" * (size // 2) + b"]" * (size // 2) + b"\n"]),
    "tiny lines": _repeated(b"1\n"),
    "tiny entries": _repeated(b'{"type":"x"}\n'),
    "bad lines": _repeated(b"{\n"),
    "blank lines": _repeated(b"\n"),
    "NUL bytes": _repeated(b"\0"),
    "a chain": _chain,
    "a fan": _fan,
    "labels": _labels,
}


def peak_memory(words: list[str], home: Path) -> tuple[int, float, int]:
    """The most memory that the command took, in bytes, its time in seconds, and its exit code."""
    start = time.monotonic()
    command = [sys.executable, "-m", "pisess_cli", *words]
    with subprocess.Popen(
        command,
        cwd=home,
        env=environment_of(home, PISESS_SESSION_DIR=str(home / "sessions"), PYTHONDONTWRITEBYTECODE="1"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, time.monotonic() - start, process.returncode


def run(scratch: Path, *, full: bool) -> dict[str, int]:
    """All commands on all kinds; gives the figures. Raises `TooMuch`."""
    home = scratch / "home"
    file = home / "sessions" / "session.jsonl"
    file.parent.mkdir(parents=True)
    commands = COMMANDS if full else _QUICK
    talk().write(file)
    base = {words: peak_memory(["-s", str(file), *words.split()], home)[0] for words in commands}
    kinds = KINDS if full else {kind: KINDS[kind] for kind in ("one long text", "tiny entries", "one deep value")}
    worst = 0.0
    for kind, make in kinds.items():
        for words in commands:
            # A part at a time: what this process holds would count as the child's.
            with file.open("wb") as written:
                written.writelines([header(), *make(FULL_SIZE if full else SIZE)])
            data = file.read_bytes()
            values = sum(map(data.count, (b"\n", b"[", b"{", b",")))
            size = len(data)
            del data
            memory, seconds, code = peak_memory(["-s", str(file), *words.split()], home)
            part = (memory - base[words]) / (MOST_TIMES * size + MOST_BYTES_PER_VALUE * values)
            worst = max(worst, part)
            if code not in (0, 1) or part > 1 or seconds > _START_S + _SLOWEST_S_PER_VALUE * values:
                raise TooMuch(f"{words} on {kind}: {memory:,} bytes for {size:,}, {seconds:.1f} s, exit code {code}")
            for other in file.parent.glob("*.jsonl"):
                other.unlink()
    return {"commands on hostile files": len(kinds) * len(commands), "percent of the stated memory": round(100 * worst)}
