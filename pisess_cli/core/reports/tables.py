"""Sessions as rows of three tables, for engines that are made for queries: sessions, entries, usage."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Literal, NamedTuple, TypeAlias

from pisess_cli.core.context.messages import entry_messages
from pisess_cli.core.context.tokens import USAGE_PARTS, estimate_tokens
from pisess_cli.core.format.entries import Entry, Key, Label, map_key
from pisess_cli.core.format.entry_text import entry_text
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe, as_number, shown
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.reports.usage import UNATTRIBUTED, EntryUsage, usage_of
from pisess_cli.core.session.session import Session

Kind: TypeAlias = Literal["integer", "real", "text", "time", "flag"]
Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = tuple[Value, ...]


class Table(NamedTuple):
    """A table: its name, and its columns with their kinds. Times are milliseconds since 1970, None where not a date."""

    name: str
    columns: tuple[tuple[str, Kind], ...]


SESSIONS = Table(
    "sessions",
    (
        ("session", "integer"),
        ("id", "text"),
        ("file", "text"),
        ("cwd", "text"),
        ("name", "text"),
        ("parent", "text"),
        ("created", "time"),
        ("entries", "integer"),
        ("bytes", "integer"),
    ),
)
ENTRIES = Table(
    "entries",
    (
        ("session", "integer"),
        ("position", "integer"),
        ("id", "text"),
        ("parent", "text"),
        ("type", "text"),
        ("role", "text"),
        ("timestamp", "time"),
        ("provider", "text"),
        ("model", "text"),
        ("tool", "text"),
        ("failed", "flag"),
        ("current", "flag"),
        ("copied", "flag"),
        ("label", "text"),
        ("text", "text"),
        ("tokens", "integer"),
        ("bytes", "integer"),
    ),
)
USAGE = Table(
    "usage",
    (
        ("session", "integer"),
        ("position", "integer"),
        ("entry", "text"),
        ("timestamp", "time"),
        ("counted_as", "text"),
        ("provider", "text"),
        ("model", "text"),
        ("input", "integer"),
        ("output", "integer"),
        ("cache_read", "integer"),
        ("cache_write", "integer"),
        ("tokens", "integer"),
        ("cost", "real"),
        ("copied", "flag"),
    ),
)
TABLES = (SESSIONS, ENTRIES, USAGE)


class TableRow(NamedTuple):
    """A row and the table that it belongs to, its values in the order of the columns."""

    table: Table
    values: Row


class Rows:
    """Gives the rows of one session after the other; a session counts by its number, since copies share an id.

    `copied` is set on entries that a session before it has too, through a fork or a copy of the file: with the same id,
    time, type and role, and as often. So sessions come in the order in which they were made.
    """

    def __init__(self) -> None:
        self._sessions = 0
        self._known: Counter[tuple[Key, ...]] = Counter()

    def of(self, session: Session, entries: Sequence[Entry] | None = None) -> Iterator[TableRow]:
        """The rows of a session: of all its entries in the file's order, or of the given ones."""
        self._sessions += 1
        number = self._sessions
        chosen = session.tree.entries if entries is None else entries
        yield TableRow(SESSIONS, _session_row(session, number, len(chosen)))
        current = {entry.key for entry in session.walk(session.leaf)}
        met: Counter[tuple[Key, ...]] = Counter()
        for position, entry in enumerate(chosen):
            identity = (entry.key, *map(map_key, (entry.timestamp, entry.type, entry.role)))
            met[identity] += 1
            known = _Known(number, position, entry.key in current, met[identity] <= self._known[identity])
            yield TableRow(ENTRIES, _entry_row(entry, session.tree.labels.get(entry.key), known))
            used = usage_of(entry)
            if used is not None:
                yield TableRow(USAGE, _usage_row(entry, used, known))
        # Of both counts the higher one.
        self._known |= met


class _Known(NamedTuple):
    # What an entry's rows say of it that does not stand in the entry.
    session: int
    position: int
    is_current: bool
    is_copied: bool


def _session_row(session: Session, number: int, count: int) -> Row:
    header = session.header
    return (
        number,
        clean(header.id),
        clean(str(session.path)),
        _text(header.cwd),
        _text(session.tree.name),
        _text(header.text("parentSession")),
        parse_ms(header.value.get("timestamp", UNDEFINED)),
        count,
        session.file.size,
    )


def _entry_row(entry: Entry, label: Label | None, known: _Known) -> Row:
    message = entry.message
    source = message or entry.value
    return (
        known.session,
        known.position,
        _word(entry.id),
        _word(entry.parent_id),
        _word(entry.type),
        _word(entry.role),
        parse_ms(entry.timestamp),
        _word(source.get("provider")),
        _word(source.get("modelId") if entry.type == "model_change" else source.get("model")),
        "bash" if entry.role == "bashExecution" else _word(message.get("toolName")),
        _has_failed(entry, message),
        known.is_current,
        known.is_copied,
        _word(label.text) if label else None,
        _text(entry_text(entry)),
        sum(map(estimate_tokens, entry_messages(entry))),
        entry.size,
    )


def _has_failed(entry: Entry, message: JsonObject) -> bool | None:
    # None for what neither fails nor succeeds.
    if entry.role == "toolResult":
        return bool(message.get("isError"))
    if entry.role == "bashExecution":
        return bool(message.get("cancelled")) or message.get("exitCode") not in (None, 0)
    return message.get("stopReason") in ("error", "aborted") if entry.role == "assistant" else None


def _usage_row(entry: Entry, used: EntryUsage, known: _Known) -> Row:
    provider, model = (None, None) if used.key == UNATTRIBUTED else used.key.split("/", 1)
    return (
        known.session,
        known.position,
        _word(entry.id),
        parse_ms(entry.timestamp),
        clean(used.key),
        _text(provider),
        _text(model),
        *(_whole(as_number(used.usage.get(part))) for part in USAGE_PARTS),
        _whole(used.tokens),
        used.cost if isfinite(used.cost) else None,
        known.is_copied,
    )


def clean(text: str) -> str:
    """The text as UTF-8 can have it: surrogate pairs as their character, lone surrogates replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _text(value: str | None) -> str | None:
    return clean(value) if value else None


def _word(value: Maybe) -> str | None:
    return None if value is None or value is UNDEFINED else clean(shown(value))


def _whole(number: float | None) -> int | None:
    # What no 64 bits hold is no count of tokens.
    return round(number) if number is not None and abs(number) < 2**63 else None
