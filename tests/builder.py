"""Session files in verbs: `session().user("hi").assistant("yes").branch_at("hi").user("no").label("good").write(path)`.

Entries are named by what they say. Ids and times follow from the order of the verbs: the third entry has the id
`0003beef` and was written three seconds after the session began.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pisess_cli.core.format.entries import Entry, read_entry
from pisess_cli.core.tree.tree import Tree

Json = dict[str, Any]

SESSION_ID = "01900000-0000-7000-8000-0000000000aa"
CWD = "/home/me/app"
_DAY = "2026-03-01T10"
_START_MS = 1_772_359_200_000


def text(words: str) -> Json:
    """A text block."""
    return {"type": "text", "text": words}


def call(name: str, call_id: str = "call_1", **arguments: Any) -> Json:
    """A tool call block."""
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def tokens_used(total: int, cost: float = 0.0) -> Json:
    """The usage of an answer."""
    parts = {"input": total, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": total}
    return {**parts, "cost": {"input": cost, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost}}


def id_of(number: int) -> str:
    """The id of the entry that was made as the `number`th, counted from 1."""
    return f"{number:04x}beef"


def time_of(number: int) -> str:
    """The time of the entry that was made as the `number`th."""
    return f"{_DAY}:{number // 60:02d}:{number % 60:02d}.000Z"


def dumps(value: Any) -> str:
    """JSON as Pi writes it: compact, nothing escaped that need not be."""
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", compact)


class SessionBuilder:
    """A session that grows by verbs; each gives the builder back. What stands at the end is the leaf."""

    def __init__(self, session_id: str = SESSION_ID, cwd: str | None = CWD, **header: Any) -> None:
        place = {} if cwd is None else {"cwd": cwd}
        self.header: Json = {
            "type": "session",
            "version": 3,
            "id": session_id,
            "timestamp": time_of(0),
            **place,
            **header,
        }
        self._lines: list[Json | bytes] = []
        self._named: dict[str, str] = {}
        self._parent: str | None = None
        self._count = 0
        self._tail = b""
        self._ends_with_newline = True

    # What is said.

    def user(self, words: Any, **fields: Any) -> "SessionBuilder":
        return self.message("user", words, **fields)

    def assistant(self, words: str, *calls: Json, **fields: Any) -> "SessionBuilder":
        answer = {"api": "test", "provider": "acme", "model": "one", "usage": tokens_used(0), "stopReason": "stop"}
        return self._say(words, "assistant", content=[*([text(words)] if words else []), *calls], **(answer | fields))

    def result(self, words: str, call_id: str = "call_1", tool: str = "bash", **fields: Any) -> "SessionBuilder":
        about = {"toolCallId": call_id, "toolName": tool}
        return self._say(words, "toolResult", **about, content=[text(words)], **({"isError": False} | fields))

    def bash(self, command: str, output: str = "", **fields: Any) -> "SessionBuilder":
        outcome = {"exitCode": 0, "cancelled": False, "truncated": False}
        return self._say(command, "bashExecution", command=command, output=output, **(outcome | fields))

    def system(self, words: str, **fields: Any) -> "SessionBuilder":
        return self.message("system", words, **fields)

    def message(self, role: str, content: Any, **fields: Any) -> "SessionBuilder":
        return self._say(content if isinstance(content, str) else "", role, content=content, **fields)

    def _say(self, says: str, role: str, **fields: Any) -> "SessionBuilder":
        message = {"role": role, **fields, "timestamp": _START_MS + 1000 * (self._count + 1)}
        return self.entry("message", says=says, message=message)

    def custom_message(self, words: str, **fields: Any) -> "SessionBuilder":
        about = {"customType": "note", "content": words, "display": True}
        return self.entry("custom_message", says=words, **(about | fields))

    # What is done to it.

    def label(self, label: Any, on: str | None = None) -> "SessionBuilder":
        """Labels the entry that says `on`, or the last one."""
        return self.entry("label", targetId=self._last_id() if on is None else self.id(on), label=label)

    def clear_label(self, on: str) -> "SessionBuilder":
        return self.entry("label", targetId=self.id(on))

    def compact(self, summary: str, keep: str | None = None, **fields: Any) -> "SessionBuilder":
        """Compacts; the context goes on from the entry that says `keep`, or from nothing."""
        first_kept = id_of(self._count + 1) if keep is None else self.id(keep)
        about = {"summary": summary, "firstKeptEntryId": first_kept, "tokensBefore": 100, "fromHook": False}
        return self.entry("compaction", says=summary, **(about | fields))

    def branch_summary(self, summary: str, left: str = "root", **fields: Any) -> "SessionBuilder":
        from_id = left if left == "root" else self.id(left)
        return self.entry("branch_summary", says=summary, fromId=from_id, summary=summary, **fields)

    def edit(self, target: str, content: Any) -> "SessionBuilder":
        return self.entry("context_edit", targetId=self.id(target), replacement={"content": content})

    def omit(self, target: str) -> "SessionBuilder":
        return self.entry("context_edit", targetId=self.id(target), replacement=None)

    def name(self, name: Any) -> "SessionBuilder":
        return self.entry("session_info", name=name)

    def model(self, provider: str, model: str) -> "SessionBuilder":
        return self.entry("model_change", provider=provider, modelId=model)

    def thinking(self, level: str) -> "SessionBuilder":
        return self.entry("thinking_level_change", thinkingLevel=level)

    def custom(self, custom_type: str, data: Any = None) -> "SessionBuilder":
        return self.entry("custom", customType=custom_type, data=data)

    def checkout(self, target: str | None) -> "SessionBuilder":
        """Moves the leaf as pisess does."""
        left = self._parent
        return self.branch_at(target).custom("pisess.checkout", {"from": left})

    def branch_at(self, words: str | None) -> "SessionBuilder":
        """What follows hangs under the entry that says this, or is a root (None)."""
        self._parent = None if words is None else self.id(words)
        return self

    def entry(self, type_: Any, *, says: str = "", **fields: Any) -> "SessionBuilder":
        """An entry of any type. A field of the envelope can be set to another value; `...` leaves it out."""
        self._count += 1
        envelope = {"id": id_of(self._count), "parentId": self._parent, "timestamp": time_of(self._count)}
        value = {"type": type_, **envelope, **fields}
        value = {key: item for key, item in value.items() if item is not ...}
        self._lines.append(value)
        entry_id = value.get("id")
        if isinstance(entry_id, str):
            self._parent = entry_id
            if says:
                self._named[says] = entry_id
        return self

    # What goes wrong.

    def raw(self, line: bytes | str) -> "SessionBuilder":
        """A line as it is."""
        self._lines.append(line.encode() if isinstance(line, str) else line)
        return self

    def torn(self, beginning: bytes | str = '{"type":"message","id":"dead') -> "SessionBuilder":
        """The file ends within a line."""
        self._tail = beginning.encode() if isinstance(beginning, str) else beginning
        return self

    def without_final_newline(self) -> "SessionBuilder":
        self._ends_with_newline = False
        return self

    def again(self, words: str, **changes: Any) -> "SessionBuilder":
        """Another entry with the id of the one that says this, at the place where the file is now."""
        return self.entry("message", id=self.id(words), **({"message": {"role": "user", "content": words}} | changes))

    def hang(self, words: str, under: str | None) -> "SessionBuilder":
        """Gives the entry that says this another parent, even one of its own descendants."""
        self.value(words)["parentId"] = None if under is None else self.id(under)
        return self

    def version(self, number: object) -> "SessionBuilder":
        """The file is of this version: 1 has neither ids nor a version, 2 calls custom messages hook messages."""
        self.header["version"] = number
        return self

    # What comes of it.

    def id(self, words: str) -> str:
        """The id of the last entry that says this, or the word itself where it is an id."""
        if words in self._named:
            return self._named[words]
        known = {value["id"] for value in self.values if "id" in value}
        assert words in known, f"no entry says {words!r}"
        return words

    def ids(self, *words: str) -> list[str]:
        return [self.id(word) for word in words]

    def value(self, words: str) -> Json:
        """The entry that says this."""
        entry_id = self.id(words)
        return next(value for value in reversed(self.values) if value.get("id") == entry_id)

    @property
    def values(self) -> list[Json]:
        """The entries, raw lines left out."""
        return [line for line in self._lines if not isinstance(line, bytes)]

    def _last_id(self) -> str:
        assert self._parent is not None
        return self._parent

    @property
    def lines(self) -> list[bytes]:
        """The lines of the file, header first, without newlines."""
        header, *entries = self._in_version()
        return [header, *entries]

    def _in_version(self) -> list[bytes]:
        header, lines = self.header, self._lines
        if header["version"] == 1:
            header = _without(header, "version")
            lines = [line if isinstance(line, bytes) else self._as_version_1(line) for line in lines]
        elif header["version"] == 2:
            lines = [line if isinstance(line, bytes) else _as_version_2(line) for line in lines]
        return [line if isinstance(line, bytes) else dumps(line).encode() for line in (header, *lines)]

    def _as_version_1(self, value: Json) -> Json:
        if value["type"] == "compaction":
            # The index counts all lines, the header being 0.
            ids = [line.get("id") if isinstance(line, dict) else None for line in self._lines]
            index = 1 + ids.index(value["firstKeptEntryId"])
            value = {**_without(value, "firstKeptEntryId"), "firstKeptEntryIndex": index}
        return _as_version_2(_without(value, "id", "parentId"))

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        end = b"\n" if self._ends_with_newline or self._tail else b""
        return b"\n".join(self.lines) + end + self._tail

    def write(self, path: Path) -> Path:
        """Writes the file and gives its path back; in a directory it is `session.jsonl`."""
        file = path / "session.jsonl" if path.is_dir() else path
        file.write_bytes(self.data)
        return file

    @property
    def entries(self) -> list[Entry]:
        """The entries, without a file."""
        read = [read_entry(line, 0, len(line)) for line in self.lines[1:]]
        return [entry for entry in read if entry is not None]

    @property
    def tree(self) -> Tree:
        return Tree(self.entries)

    @property
    def path(self) -> list[Entry]:
        """The entries from the root down to the place where the file is now."""
        return self.tree.path(self._parent)


def _without(value: Mapping[str, Any], *keys: str) -> Json:
    return {key: item for key, item in value.items() if key not in keys}


def _as_version_2(value: Json) -> Json:
    message = value.get("message")
    if isinstance(message, dict) and message.get("role") == "custom":
        return {**value, "message": {**message, "role": "hookMessage"}}
    return value


def session(session_id: str = SESSION_ID, cwd: str | None = CWD, **header: Any) -> SessionBuilder:
    """A session that holds nothing yet."""
    return SessionBuilder(session_id, cwd, **header)


def talk() -> SessionBuilder:
    """A short session with a second branch, a tool call, a label, and settings as Pi writes them."""
    return (
        session()
        .model("acme", "one")
        .thinking("off")
        .system("Be brief.")
        .user("Where is the parser?")
        .assistant("Looking.", call("read", path="src/parser.py"))
        .result("def parse(): ...", tool="read")
        .assistant("In src/parser.py.", usage=tokens_used(1200, 0.012))
        .label("found")
        .user("Rewrite it.")
        .assistant("Done, but slow.")
        .branch_at("In src/parser.py.")
        .user("Only rename it.")
        .assistant("Renamed.", usage=tokens_used(1500, 0.015))
    )


def every_kind() -> SessionBuilder:
    """A session with an entry of each type and a message of each role, and some that nobody knows."""
    return (
        session()
        .model("acme", "one")
        .thinking("high")
        .system("Be brief.")
        .user("Look at this.\nAnd at that.")
        .message("user", [text("See"), {"type": "image", "data": "AAAA", "mimeType": "image/png"}])
        .assistant("", {"type": "thinking", "thinking": "Hm.\nAh."}, text("Seen."))
        .result("No such file", isError=True)
        .bash("ls -l", "a\nb", exitCode=2)
        .custom_message("A note.")
        .custom("my.extension", {"state": [1, 2]})
        .name("A name")
        .label("good", on="Look at this.\nAnd at that.")
        .edit("A note.", "Another note.")
        .omit("Look at this.\nAnd at that.")
        .branch_summary("It did not work.", details={"readFiles": ["a.py"], "modifiedFiles": []})
        .compact("## Goal\nTidy up", keep="A note.", details={"readFiles": [], "modifiedFiles": ["b.py"]})
        .entry("usage", kind="title", provider="acme", model="one", usage={"totalTokens": 5})
        .entry("from_the_future", content="hi", more={"a": 1})
        .message("hookMessage", "From a hook.")
    )
