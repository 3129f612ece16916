"""Session files as nobody should write them: any JSON anywhere, few ids so that they meet, lines that are no JSON.

The strategies draw a seed and a size and leave the rest to `random`, which is a hundred times as fast as drawing each
value; a failing example shrinks by its size.
"""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from pisess_cli.core.format.entries import ENTRY_TYPES

T = TypeVar("T")

IDS = ["aaaa1111", "aaaa2222", "bbbb1111", "cccc1111", "dddd1111", "eeee1111"]
_ODD_IDS = ["", 1, 1.0, 0, True, None, {}, [], ["aaaa1111"]]
_TYPES = [*ENTRY_TYPES, "message", "message", "message", "from_the_future"]
_ROLES = ["user", "assistant", "toolResult", "bashExecution", "system", "custom", "hookMessage", "nobody"]
_TIMES = ["2026-03-01T10:00:01.000Z", "2026-03-01T10:00:02.000Z", "2026-03-01", "yesterday"]
_WORDS = ["hi", "yes", "no", "Fix it.", "", "two\nlines", "\u202eevil", "\x1b[31m", "日本", "\ud83d"]
_SCALARS = [None, True, False, 0, 1, -1, 2.5, 1e300, 12345678901234567890, "", "x", "0", "aaaa1111", "\ud800"]
_BAD_LINES = [b"", b" ", b"\r", b"{", b'{"type":"message","id":"aaaa', b"nonsense", b"\x00\x00", b"\xff\xfe", b"NaN"]
_ODD_LINES = [
    b"5",
    b"null",
    b'"text"',
    b"[]",
    b"[1]",
    b"{}",
    b'\xef\xbb\xbf{"id":"bom"}',
    b'{"type":"session","id":"two"}',
]
_ENDS = [b"\r\n", b"\n\n", b" \n"]


class Maker(random.Random):
    """Makes things; seven times out of eight what is usual."""

    def mostly(
        self, usual: Callable[[], Any] | Sequence[Any], odd: Callable[[], Any] | Sequence[Any] | None = None
    ) -> Any:
        chosen = usual if self.randrange(8) else self.anything if odd is None else odd
        return chosen() if callable(chosen) else self.choice(chosen)

    def some(self, fields: dict[str, Callable[[], Any]], share: float = 0.7) -> dict[str, Any]:
        """The object, each field there or not."""
        return {key: make() for key, make in fields.items() if self.random() < share}

    def anything(self, depth: int = 2) -> Any:
        kind = self.randrange(6)
        if depth and kind == 0:
            return [self.anything(depth - 1) for _ in range(self.randrange(3))]
        if depth and kind == 1:
            return {
                self.choice(["a", "1", "type", "text", "é"]): self.anything(depth - 1) for _ in range(self.randrange(3))
            }
        return self.choice(_SCALARS)

    def word(self) -> Any:
        return self.mostly(_WORDS)

    def id(self) -> Any:
        return self.mostly(IDS, _ODD_IDS)

    def block(self) -> Any:
        kind = self.mostly(["text", "text", "thinking", "toolCall", "image"])
        fields = {
            "text": self.word,
            "thinking": self.word,
            "id": self.word,
            "name": lambda: self.mostly(["read", "write", "edit", "bash"]),
            "arguments": lambda: self.mostly(lambda: {"path": self.word()}),
            "data": self.word,
        }
        return {"type": kind, **self.some(fields)}

    def content(self) -> Any:
        return self.mostly(
            self.word if self.randrange(2) else lambda: [self.mostly(self.block) for _ in range(self.randrange(3))]
        )

    def usage(self) -> Any:
        return self.mostly(lambda: {"totalTokens": self.mostly([0, 5, 900]), "input": self.mostly([1, 2])})

    def message(self) -> dict[str, Any]:
        fields = {
            "content": self.content,
            "timestamp": self.anything,
            "usage": self.usage,
            "provider": self.word,
            "model": self.word,
            "stopReason": lambda: self.mostly(["stop", "error"]),
            "command": self.word,
            "output": self.word,
            "exitCode": self.anything,
            "summary": self.word,
            "sections": self.anything,
            "toolsAdded": self.anything,
        }
        return {"role": self.mostly(_ROLES), **self.some(fields)}

    def replacement(self) -> Any:
        return self.mostly(lambda: None if self.randrange(2) else {"content": self.content()})

    def entry(self) -> dict[str, Any]:
        envelope = {
            "id": self.id,
            "parentId": lambda: self.mostly(self.id, [None]),
            "timestamp": lambda: self.mostly(_TIMES),
        }
        fields = {
            "message": lambda: self.mostly(self.message),
            "targetId": self.id,
            "label": lambda: self.mostly(["good", "bad", "", None]),
            "name": self.word,
            "summary": self.word,
            "firstKeptEntryId": self.id,
            "firstKeptEntryIndex": lambda: self.mostly([0, 1, 2, 3, 9]),
            "tokensBefore": self.anything,
            "systemMessage": lambda: self.mostly(self.message),
            "replacement": self.replacement,
            "content": self.content,
            "customType": lambda: self.mostly(["pisess.checkout", "other"]),
            "fromId": self.id,
            "provider": self.word,
            "modelId": self.word,
            "thinkingLevel": lambda: self.mostly(["off", "high"]),
            "details": self.anything,
            "fromHook": self.anything,
        }
        return {"type": self.mostly(_TYPES), **self.some(envelope, 0.95), **self.some(fields, 0.85)}

    def line(self) -> bytes:
        return self.mostly(lambda: line_of(self.entry()), _BAD_LINES + _ODD_LINES)  # type: ignore[no-any-return]  # `mostly` gives what it is given

    def body(self, size: int) -> bytes:
        """What stands below a header, the last line perhaps without its end."""
        whole = b"".join(self.line() + self.mostly([b"\n"], _ENDS) for _ in range(size))
        return whole if self.randrange(3) else whole + self.line()

    def chain(self, size: int) -> list[dict[str, Any]]:
        """Entries in a tree as Pi writes it, ids of their own and parents before them; the rest may be anything."""
        made: list[dict[str, Any]] = []
        for number in range(size):
            known: list[Any] = [entry["id"] for entry in made]
            parent = self.mostly([known[-1] if known else None], [None, *known])
            targets = [*known, "unknown!"]
            place = {"id": f"{number:04x}beef", "parentId": parent}
            made.append(
                self.entry() | place | {"targetId": self.choice(targets), "firstKeptEntryId": self.choice(targets)}
            )
        return made


def line_of(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def header(version: object = 3) -> bytes:
    """The header line of a file."""
    return (
        line_of({"type": "session", "version": version, "id": "s", "timestamp": _TIMES[0], "cwd": "/home/me"}) + b"\n"
    )


def made_by(make: Callable[[Maker, int], T], max_size: int = 14) -> st.SearchStrategy[T]:
    """What the function makes with a `Maker`, in sizes up to that."""
    return st.builds(lambda size, seed: make(Maker(seed), size), st.integers(0, max_size), st.integers(0, 2**40))


def _file(maker: Maker, size: int) -> bytes:
    return header(maker.mostly([3], [1, 2, None, "3", 9])) + maker.body(size)


files = made_by(_file)
"""Whole files, of the current version mostly."""

chains = made_by(Maker.chain)
"""Entries in a tree of their own."""
