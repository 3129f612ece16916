"""What an entry used, and what that counts for: a model, a tool, a day and the like (PI_SEMANTICS I).

Lines are read without the texts in them, so that going through all sessions costs one decoding pass.
"""

import time
from typing import Any, Literal, NamedTuple, TypeAlias, get_args
from zlib import crc32

import msgspec
from msgspec import UNSET, Raw, UnsetType

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.content import tool_calls
from pisess_cli.core.format.entries import Entry, Header
from pisess_cli.core.format.javascript import JsonValue, shown
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.reports.usage import UNATTRIBUTED, EntryUsage

By: TypeAlias = Literal["model", "provider", "role", "tool", "day", "project", "session"]
GROUPINGS: tuple[By, ...] = get_args(By)
Key: TypeAlias = str | None
"""What usage counts for; None where it belongs to no tool, day or project."""
Use: TypeAlias = tuple[float, float, tuple[Key, ...], str, str, int]
"""What one entry used, in plain values: tokens, cost, and the keys that share it; then the entry's id, its time, and a
checksum of what it says.

There are no keys where the session as a whole decides. Sessions that have a use in common share its entry: a fork
leaves all of this as it is, while it may chain lines anew.
"""
_USING_ROLES = ("assistant", "toolResult")
_USING_TYPES = ("usage", "compaction", "branch_summary")
_WITH_MODEL = ("assistant", "usage")


class _Message(msgspec.Struct, gc=False):
    # Any JSON may stand in these fields; what is not among them is not decoded.
    role: Any = UNSET
    provider: Any = UNSET
    model: Any = UNSET
    responseModel: Any = UNSET  # noqa: N815 - the name in the file
    toolName: Any = UNSET  # noqa: N815
    usage: Any = UNSET
    content: Raw | UnsetType = UNSET


class _Line(msgspec.Struct, gc=False):
    type: Any = UNSET
    id: Any = UNSET
    timestamp: Any = UNSET
    provider: Any = UNSET
    model: Any = UNSET
    usage: Any = UNSET
    summary: Any = UNSET
    message: _Message | UnsetType = UNSET


_decode_line = msgspec.json.Decoder(_Line).decode


def _read_line(data: bytes | memoryview) -> _Line:
    # Raises `BadLine`.
    try:
        return _decode_line(data)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        fields = _fields(_Line, jsonl.decode(bytes(data)))
    message = _fields(_Message, fields.get("message"))
    if "content" in message:
        message["content"] = Raw(jsonl.encode(message["content"]))
    return _Line(**fields | {"message": _Message(**message)})


def _fields(struct: type[msgspec.Struct], value: object) -> dict[str, Any]:
    return {key: value[key] for key in struct.__struct_fields__ if key in value} if isinstance(value, dict) else {}


class Question(NamedTuple):
    """What to group by (days are those of the local zone, or of UTC), and which times, in milliseconds, count."""

    by: By = "model"
    utc: bool = False
    since: float | None = None
    until: float | None = None

    def use_of(self, entry: Entry) -> Use | None:
        """What an entry used; None if it carries no usage, or is out of time."""
        return self.use_in(entry.raw)

    def use_in(self, line: bytes | memoryview) -> Use | None:
        """The same for the entry on a line. Raises `BadLine`."""
        read = _read_line(line)
        carrier = read.message if read.type == "message" else read
        if not carrier or not isinstance(carrier.usage, dict):
            return None
        kind = carrier.role if isinstance(carrier, _Message) else carrier.type
        if kind not in (_USING_ROLES if isinstance(carrier, _Message) else _USING_TYPES):
            return None
        ms = parse_ms(read.timestamp) if self._needs_time else None
        if not self._is_in_time(ms):
            return None
        used = EntryUsage("", carrier.usage)
        keys = self._keys(kind, carrier, ms)
        return used.tokens, used.cost, keys, shown(read.id), shown(read.timestamp), _checksum(carrier)

    @property
    def _needs_time(self) -> bool:
        return self.by == "day" or self.since is not None or self.until is not None

    def _is_in_time(self, ms: int | None) -> bool:
        if ms is None:
            return self.since is None and self.until is None
        return (self.since is None or ms >= self.since) and (self.until is None or ms <= self.until)

    def _keys(self, kind: str, carrier: _Message | _Line, ms: int | None) -> tuple[Key, ...]:
        if self.by == "model":
            return (_model(kind, carrier),)
        if self.by == "provider":
            return (shown(carrier.provider) if kind in _WITH_MODEL else UNATTRIBUTED,)
        if self.by == "role":
            return (kind,)
        if self.by == "tool":
            return _tools(carrier) or (None,)
        return (_day(ms, utc=self.utc),) if self.by == "day" else ()

    def whole_key(self, header: Header) -> Key:
        """What all usage of a session counts for, where the session as a whole decides."""
        return header.id if self.by == "session" else header.cwd


def _checksum(carrier: _Message | _Line) -> int:
    # Of the value, not of its bytes: Pi writes lines anew when it forks.
    said = _content(carrier) if isinstance(carrier, _Message) else carrier.summary or None
    return crc32(jsonl.encode(said))


def _content(message: _Message) -> JsonValue:
    return jsonl.decode(bytes(message.content)) if message.content else None


def _model(kind: str, carrier: _Message | _Line) -> str:
    if kind not in _WITH_MODEL:
        return UNATTRIBUTED
    model = carrier.model
    # The model that really answered counts before the one that was asked.
    if isinstance(carrier, _Message) and carrier.responseModel not in (None, UNSET):
        model = carrier.responseModel
    return f"{shown(carrier.provider)}/{shown(model)}"


def _tools(carrier: _Message | _Line) -> tuple[str, ...]:
    # Those that an answer calls, once for each call; or the one that a result is of.
    if not isinstance(carrier, _Message):
        return ()
    if carrier.role == "toolResult":
        return (shown(carrier.toolName),)
    return tuple(shown(call.get("name")) for call in tool_calls({"content": _content(carrier)}))


def _day(ms: int | None, *, utc: bool) -> Key:
    if ms is None:
        return None
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(ms // 1000) if utc else time.localtime(ms // 1000))
    except (ValueError, OverflowError, OSError):
        return None
