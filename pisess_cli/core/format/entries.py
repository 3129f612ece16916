"""The header and the entries of a session file, and building new ones in Pi's key order (PI_DETAILS G1)."""

import re
from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe, js_number, js_trim

CURRENT_VERSION = 3
ENTRY_TYPES = (
    "message",
    "custom_message",
    "custom",
    "compaction",
    "branch_summary",
    "model_change",
    "thinking_level_change",
    "context_edit",
    "label",
    "session_info",
    "usage",
)
ROLES = ("user", "assistant", "toolResult", "bashExecution", "system", "custom")
"""The roles that messages have in Pi's files."""
BOOKKEEPING_TYPES = frozenset(("label", "custom", "session_info", "usage", "model_change", "thinking_level_change"))
"""Types that `~`, `^` and a plain log step over; system messages are bookkeeping too (SPEC 8)."""
PI_MESSAGE = re.compile(rb'\{"type":"message","id":"([0-9A-Za-z]{8})"')
"""How messages begin where they are written as Pi writes them, with their id. Nearly all of a file is in them.

What begins like this can be taken for such a message without a look at the rest of it: a second type or id in it, which
no writer of JSON gives it, would not be seen.
"""
Key: TypeAlias = str | UnsetType | tuple[str, object] | None


class MessageHead(msgspec.Struct, gc=False):
    """What an entry keeps of a message."""

    role: str | UnsetType | None = UNSET


class Envelope(msgspec.Struct, gc=False):
    """What an entry keeps of a line."""

    type: str | UnsetType = UNSET
    id: str | UnsetType | None = UNSET
    parentId: str | UnsetType | None = UNSET  # noqa: N815 - the name in the file
    timestamp: str | UnsetType | None = UNSET
    targetId: str | UnsetType | None = UNSET  # noqa: N815
    message: MessageHead | UnsetType = UNSET


class _LinkFields(msgspec.Struct, gc=False):
    type: str | UnsetType = UNSET
    id: str | UnsetType | None = UNSET
    parentId: str | UnsetType | None = UNSET  # noqa: N815


_decode_link = msgspec.json.Decoder(_LinkFields).decode
_decode_envelope = msgspec.json.Decoder(Envelope).decode


class Source(Protocol):
    """Bytes, or what reads them from a file when they are asked for."""

    def __getitem__(self, place: slice, /) -> bytes: ...


class Entry:
    """One line of a session file: its envelope at hand, the rest decoded when asked for.

    The fields hold whatever JSON the file has there, `UNDEFINED` where it has nothing. `role` is the message's role
    for entries of type `message`, else `UNDEFINED`. `key` and `parent_key` stand for the ids in an index (`map_key`).
    `digest` is there where it was read together with the entry.
    """

    __slots__ = (
        "_end",
        "_source",
        "_start",
        "digest",
        "id",
        "key",
        "parent_id",
        "parent_key",
        "role",
        "target_id",
        "timestamp",
        "type",
    )
    _last_decoded: "tuple[Entry | None, JsonObject]" = (None, {})

    def __init__(self, source: "Source", start: int, end: int, envelope: "Envelope | JsonObject") -> None:
        self._source = source
        self._start = start
        self._end = end
        self.digest: Digest | None = None
        self.type: Maybe
        self.id: Maybe
        self.parent_id: Maybe
        self.timestamp: Maybe
        self.target_id: Maybe
        self.role: Maybe
        self.key: Key
        self.parent_key: Key
        if isinstance(envelope, Envelope):
            self.type = envelope.type
            self.id = self.key = envelope.id
            self.parent_id = self.parent_key = envelope.parentId
            self.timestamp = envelope.timestamp
            self.target_id = envelope.targetId
            self.role = envelope.message.role if envelope.message and self.type == "message" else UNDEFINED
        else:
            self.type = envelope.get("type", UNDEFINED)
            self.id = envelope.get("id", UNDEFINED)
            self.parent_id = envelope.get("parentId", UNDEFINED)
            self.timestamp = envelope.get("timestamp", UNDEFINED)
            self.target_id = envelope.get("targetId", UNDEFINED)
            message = envelope.get("message") if self.type == "message" else None
            self.role = message.get("role", UNDEFINED) if isinstance(message, dict) else UNDEFINED
            self.key = map_key(self.id)
            self.parent_key = map_key(self.parent_id)

    @classmethod
    def from_value(cls, value: JsonObject) -> "Entry":
        """An entry that is not in a file yet."""
        line = jsonl.stringify(value).encode()
        return cls(line, 0, len(line), value)

    @property
    def raw(self) -> bytes:
        """The line as it stands in the file, without its newline."""
        return self._source[self._start : self._end]

    @property
    def size(self) -> int:
        """How many bytes the line has."""
        return self._end - self._start

    @property
    def value(self) -> JsonObject:
        """The whole entry, not to be changed; empty where the line holds something else than an object.

        It is decoded when it is asked for and not kept, so that a session of any size can be gone through; only the
        entry that was asked last is remembered, since whoever looks at one does so several times.
        """
        last, value = Entry._last_decoded
        if last is not self:
            decoded = jsonl.decode(self.raw)
            value = decoded if isinstance(decoded, dict) else {}
            Entry._last_decoded = (self, value)
        return value

    @property
    def message(self) -> JsonObject:
        """The message of an entry of type `message`, empty if it has none."""
        message = self.value.get("message")
        return message if isinstance(message, dict) else {}

    @property
    def is_history(self) -> bool:
        """Whether `log` shows the entry and `~` counts it (SPEC 8)."""
        if not isinstance(self.type, str) or self.type in BOOKKEEPING_TYPES:
            return False
        return not (self.type == "message" and self.role == "system")


def read_entry(source: bytes, start: int, end: int) -> Entry | None:
    """The entry on a line; None where the line holds a falsy value, which does not count. Raises `jsonl.BadLine`."""
    line = memoryview(source)[start:end]
    try:
        return Entry(source, start, end, _decode_envelope(line))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        value = jsonl.decode(line)
    if isinstance(value, dict):
        return Entry(source, start, end, value)
    # Other truthy values stay in the list of entries, without a type or an id (PI_SEMANTICS A).
    return Entry(source, start, end, {}) if value or isinstance(value, list) else None


def read_link(line: memoryview) -> tuple[Maybe, Key, Key] | None:
    """Of the entry on a line its type, its key and that of its parent, without making it; else as `read_entry`."""
    try:
        found = _decode_link(line)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        entry = read_entry(bytes(line), 0, len(line))
        return None if entry is None else (entry.type, entry.key, parent_of(entry))
    return found.type, found.id, found.parentId or None


def parent_of(entry: Entry) -> Key:
    """The key of an entry's parent; None for one that has no parent."""
    return entry.parent_key if entry.parent_id else None


class Header:
    """The first line of a session file."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.value = entry.value
        self.id = str(self.value.get("id"))

    @property
    def version(self) -> float:
        """The format's version: a missing one is 1."""
        version = self.value.get("version")
        if version is None:
            return 1
        try:
            return float(version) if isinstance(version, int | float | str) else float("nan")
        except (ValueError, OverflowError):
            return float("nan")

    @property
    def is_old(self) -> bool:
        """Whether the file has to be migrated."""
        return self.version < CURRENT_VERSION

    def text(self, key: str) -> str | None:
        """A field of the header if it is a string (`cwd`, `parentSession`, `timestamp`)."""
        value = self.value.get(key)
        return value if isinstance(value, str) else None

    @property
    def cwd(self) -> str | None:
        """The working directory that the session belongs to."""
        return self.text("cwd")


def is_header(entry: Entry) -> bool:
    """Whether the entry can begin a session file."""
    return entry.type == "session" and isinstance(entry.id, str)


def map_key(value: Maybe) -> Key:
    """What stands for an id in an index: equal for what a JavaScript Map takes for equal."""
    if isinstance(value, str | None | UnsetType):
        return value
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float):
        return ("number", js_number(value))
    return ("object", id(value))


class Digest(NamedTuple):
    """An entry's subject; of an answer its tool calls, a line each; the model that a message names."""

    subject: str
    calls: list[str]
    model: Maybe


class Label(NamedTuple):
    """What a label entry says of its target: the label (truthy), and the label entry's own time."""

    text: JsonValue
    timestamp: Maybe


def label_change(entry: Entry) -> tuple[Key, Label | None]:
    """The target of a label entry, and the label it sets; None where it clears."""
    text = entry.value.get("label")
    return map_key(entry.target_id), Label(text, entry.timestamp) if text else None


def session_name(info: Entry) -> str | None:
    """The name that a `session_info` entry gives, trimmed; None where it clears the name."""
    name = info.value.get("name")
    return js_trim(name) or None if isinstance(name, str) else None


def read_labels(entries: Iterable[Entry]) -> dict[Key, Label]:
    """The labels that the entries set and clear, in that order; a label that is set again keeps its place."""
    labels: dict[Key, Label] = {}
    for entry in entries:
        if entry.type != "label":
            continue
        target, label = label_change(entry)
        if label is None:
            labels.pop(target, None)
        else:
            labels[target] = label
    return labels
