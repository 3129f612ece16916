"""Makes sessions as people have them, of any size: the same arguments give the same bytes."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

NEEDLE = "needleXYZ"
"""Stands in one entry of a `long_session`, and in seven of `many_sessions`."""
ACCENT = "résumé 42"
"""Stands in five of `many_sessions`, in raw UTF-8 in some, escaped in others."""

_WORDS = re.findall(
    r"\w+",
    "a after again all and branch build call check commit compile config count default edge else entry error fetch "
    "field file first fix flag for function half header if import in input is item join key label last leaf line "
    "list lock loop make map merge message move name new next node not number of on open option or output parse "
    "part path point queue read ref result root row run scan search session set size sort split start state step "
    "string table test text that the then this time to token tool tree type update use value walk when width with "
    "word write",
)
_TOOLS = ("read", "bash", "edit", "write")
_CONTEXT_BYTES = 2_000_000
_USAGE_COST = {"input": 0.012, "output": 0.02, "cacheRead": 0.001, "cacheWrite": 0.004, "total": 0.037}


class Prose:
    """Endless text of words and lines; pieces are cut out of one long text, which is quicker than to make each."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self._text = " ".join(
            word + ("\n" if random.random() < 0.08 else "") for word in random.choices(_WORDS, k=200_000)
        )

    def piece(self, random: Random, size: int) -> str:
        start = random.randrange(len(self._text) - size)
        return self._text[start : start + size]


_PROSE = Prose(1)


class Writer:
    """Writes a session's lines to a file as they come."""

    def __init__(self, file: BinaryIO, seed: int, cwd: str, start_ms: int, *, escape: bool = False) -> None:
        self.random = Random(seed)
        self.size = 0
        self.count = 0
        self.leaf: str | None = None
        self.recent: list[str] = []
        self.questions: list[str] = []
        self._file = file
        self._escape = escape
        self._time = start_ms
        self._compacted = 0
        self.id = f"0199aaaa-0000-7000-8000-{seed:012x}"
        self.started = self._stamp()
        self._write({"type": "session", "version": 3, "id": self.id, "timestamp": self.started, "cwd": cwd})

    def put(self, type_: str, **fields: Any) -> str:
        # Ids look random and are all different.
        entry_id = f"{self.count * 2_654_435_761 % 2**32:08x}"
        self._write({"type": type_, "id": entry_id, "parentId": self.leaf, "timestamp": self._stamp(), **fields})
        self.leaf = entry_id
        self.recent = [*self.recent[-20:], entry_id]
        self.count += 1
        return entry_id

    def say(self, role: str, content: list[Any], **fields: Any) -> str:
        message = {"role": role, "content": content, **fields, "timestamp": self._time}
        return self.put("message", message=message)

    def ask(self, text: str) -> None:
        self.questions.append(self.say("user", [{"type": "text", "text": text}]))

    def answer(self, thought: str, text: str, calls: list[Any]) -> None:
        random = self.random
        usage: dict[str, Any] = {
            "input": random.randrange(9_000),
            "output": random.randrange(900),
            "cacheRead": random.randrange(90_000),
            "cacheWrite": random.randrange(4_000),
        }
        usage |= {"totalTokens": sum(usage.values()), "cost": _USAGE_COST}
        self.say(
            "assistant",
            [
                {"type": "thinking", "thinking": thought, "thinkingSignature": "c2ln"},
                {"type": "text", "text": text},
                *calls,
            ],
            api="anthropic-messages",
            provider="anthropic",
            model="claude-opus",
            usage=usage,
            stopReason="toolUse" if calls else "stop",
        )

    def turn(self, extra: str = "") -> None:
        """A question and what an agent does about it; now and then on a new branch, labelled, or compacted."""
        random, piece = self.random, self.piece
        if self.questions and random.random() < 0.04:
            place = random.randrange(max(0, len(self.questions) - 40), len(self.questions))
            self.questions = self.questions[: place + 1]
            self.leaf = self.questions[place]
        self.ask(piece(20, 900) + extra)
        for _ in range(random.randint(1, 6)):
            self._use_tool(f"call_{random.getrandbits(48):012x}", random.choice(_TOOLS))
        if random.random() < 0.02:
            label = f"{random.choice(('good', 'todo', 'before-merge'))}{random.randrange(99)}"
            self.put("label", targetId=random.choice(self.recent), label=label)
        if self.size - self._compacted > _CONTEXT_BYTES and len(self.questions) > 10:
            self._compacted = self.size
            self.put(
                "compaction",
                summary=f"## Goal\n{piece(2_500, 2_500)}",
                firstKeptEntryId=self.questions[-3],
                tokensBefore=180_000,
                details={"readFiles": ["src/part1.py"], "modifiedFiles": ["src/part2.py"]},
            )

    def piece(self, least: int, most: int) -> str:
        return _PROSE.piece(self.random, self.random.randint(least, most))

    def _use_tool(self, call: str, tool: str) -> None:
        random, piece = self.random, self.piece
        path = f"src/part{random.randrange(50)}.py"
        arguments = {"command": piece(60, 60)} if tool == "bash" else {"path": path}
        calls = [{"type": "toolCall", "id": call, "name": tool, "arguments": arguments}]
        self.answer(piece(50, 1_500), piece(10, 700), calls)
        size = int(min(60_000, random.paretovariate(1.1) * 1_500))
        self.say(
            "toolResult",
            [{"type": "text", "text": piece(size, size)}],
            toolCallId=call,
            toolName=tool,
            isError=random.random() < 0.05,
        )

    def _write(self, value: dict[str, Any]) -> None:
        line = json.dumps(value, ensure_ascii=self._escape, separators=(",", ":")).encode() + b"\n"
        self._file.write(line)
        self.size += len(line)

    def _stamp(self) -> str:
        self._time += self.random.randint(200, 20_000)
        moment = datetime.fromtimestamp(self._time / 1000, UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{self._time % 1000:03d}Z"


_START_MS = 1_770_000_000_000


def long_session(path: Path, size: int) -> None:
    """One session of about so many bytes, with branches, labels, compactions; the needle is at 70 % of it."""
    with path.open("wb") as file:
        writer = Writer(file, 7, "/home/me/app", _START_MS)
        writer.put("session_info", name="long")
        placed = False
        while writer.size < size:
            here = not placed and writer.size > size * 0.7
            writer.turn(f" {NEEDLE}" if here else "")
            placed = placed or here


def many_sessions(folder: Path, count: int, size: int, projects: int = 20) -> None:
    """So many sessions of about `size` bytes in all, in folders by project: a few large ones, many small ones."""
    random = Random(11)
    share = size / count
    with_needle = {count * part // 7 for part in range(7)}
    with_accent = {1 + count * part // 5 for part in range(5)}
    for number in range(count):
        cwd = f"/home/me/project{number % projects}"
        goal = min(share * 12, share * 0.27 * random.paretovariate(1.3))
        place = folder / f"--{cwd.strip('/').replace('/', '-')}--"
        place.mkdir(parents=True, exist_ok=True)
        unnamed = place / "new"
        with unnamed.open("wb") as file:
            start = _START_MS + number * 3_600_000
            writer = Writer(file, 1000 + number, cwd, start, escape=number % 2 == 0)
            accent = f" {ACCENT}" if number in with_accent else ""
            writer.turn((f" {NEEDLE}" if number in with_needle else "") + accent)
            while writer.size < goal:
                writer.turn()
            if number % 5 == 0:
                writer.put("session_info", name=f"part {number}")
        unnamed.rename(place / f"{writer.started.replace(':', '-').replace('.', '-')}_{writer.id}.jsonl")


def chain(path: Path, entries: int) -> None:
    """One session of so many short messages, each below the one before."""
    with path.open("wb") as file:
        writer = Writer(file, 3, "/home/me/chain", _START_MS)
        while writer.count < entries:
            writer.ask(writer.piece(20, 60))
            writer.answer("", writer.piece(20, 60), [])
        writer.put("label", targetId=writer.leaf, label="end")


def forked(path: Path, entries: int, branches: int, labels: int = 0) -> None:
    """One session of so many short messages, in branches of one length that all leave a trunk of that length."""
    with path.open("wb") as file:
        writer = Writer(file, 5, "/home/me/tree", _START_MS)
        trunk: list[str] = []
        length = max(2, entries // (branches + 1))
        for branch in range(branches + 1):
            writer.leaf = trunk[branch * len(trunk) // (branches + 1)] if trunk else None
            for _ in range(length // 2):
                writer.ask(writer.piece(20, 60))
                writer.answer("", writer.piece(20, 60), [])
            trunk = trunk or writer.questions[:]
        targets = writer.questions
        for number in range(labels):
            writer.put("label", targetId=targets[number % len(targets)], label=f"label{number}")


def sizes(folder: Path) -> Iterator[int]:
    """The sizes of the session files in folders by project."""
    return (file.stat().st_size for file in folder.glob("*/*.jsonl"))
