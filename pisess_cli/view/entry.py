"""How an entry looks: in one line, in a few, and in full. All text of the file passes `safe()` here."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from pisess_cli.core.context.messages import entry_messages
from pisess_cli.core.format.content import content_text
from pisess_cli.core.format.entries import Entry, Label
from pisess_cli.core.format.entry_text import digest, entry_text, message_text, subject
from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe, shown
from pisess_cli.core.format.jsonl import stringify
from pisess_cli.core.format.times import parse_ms
from pisess_cli.view import cells
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.sanitize import safe
from pisess_cli.view.terminal import Terminal

# Of kinds and models there are few.
_safe_name = lru_cache(maxsize=256)(safe)
_INDENT = "    "
_KIND_WIDTH = 9
_LEAST_ROOM = 10
_KINDS = {
    "toolResult": "result",
    "bashExecution": "bash",
    "branch_summary": "branch",
    "compaction": "compacted",
    "context_edit": "edit",
    "custom_message": "custom",
    "model_change": "model",
    "thinking_level_change": "thinking",
    "session_info": "name",
}
STYLES = {
    "user": "user",
    "assistant": "assistant",
    "toolResult": "tool",
    "bashExecution": "tool",
    "compaction": "summary",
    "branch_summary": "summary",
}
"""The style of a role or a type, where it is not `other`; on a page the class."""


def kind_of(name: str) -> str:
    """One short word for a role or a type."""
    return _KINDS.get(name, name)


def word(value: Maybe) -> str:
    """A field as text: what it is, empty where there is none."""
    if isinstance(value, str):
        return value
    return shown(value) if value else ""


class EntryRecord:
    """An entry with what shows of it; what takes reading the whole entry is found out when it is asked for."""

    __slots__ = ("entry", "id", "is_head", "kind", "label", "role", "style", "type")

    def __init__(self, entry: Entry, label: Label | None, *, is_head: bool = False) -> None:
        self.entry = entry
        self.is_head = is_head
        self.label = shown(label.text) if label else None
        self.id = word(entry.id)
        self.type = word(entry.type)
        self.role = word(entry.role) or None
        name = self.role or self.type
        self.kind = kind_of(name)
        self.style = STYLES.get(name, "other")

    @property
    def parent_id(self) -> str | None:
        """The parent's id as it stands in the file."""
        return word(self.entry.parent_id) or None

    @property
    def text(self) -> str:
        """All that it says."""
        return entry_text(self.entry)

    @property
    def subject(self) -> str:
        """What it says or does, in one line."""
        return subject(self.entry)

    @property
    def time_ms(self) -> int | None:
        """Its time, in milliseconds."""
        return parse_ms(self.entry.timestamp)

    @property
    def model(self) -> str | None:
        """The model that answered."""
        known = self.entry.digest
        return word(known.model if known else self.entry.message.get("model")) or None

    @property
    def tokens(self) -> int | None:
        """An estimate of what it adds to a context."""
        from pisess_cli.core.context.tokens import estimate_tokens

        messages = entry_messages(self.entry)
        return sum(map(estimate_tokens, messages)) if messages else None

    @property
    def cost(self) -> float | None:
        """What it cost, in dollars."""
        from pisess_cli.core.reports.usage import usage_of

        found = usage_of(self.entry)
        return found.cost if found else None


def decoration(terminal: Terminal, record: EntryRecord) -> str:
    """HEAD and the label of an entry in brackets behind a space, or nothing."""
    if not record.is_head and not record.label:
        return ""
    parts = [terminal.style("HEAD", "head")] if record.is_head else []
    if record.label:
        parts.append(terminal.style(safe(record.label), "label"))
    return f" ({', '.join(parts)})"


def oneline(terminal: Terminal, record: EntryRecord, room: int | None) -> str:
    """An entry as one line: id, kind, HEAD and label, its first words; cut to `room` columns if that is a number."""
    short_id = terminal.style(safe(record.id[:SHORT_ID]), "id")
    kind = terminal.style(f"{safe(record.kind):<{_KIND_WIDTH}}", record.style)
    line = f"{short_id} {kind}{decoration(terminal, record)} "
    if room is None:
        return f"{line}{safe(record.subject)}".rstrip()
    used = SHORT_ID + _KIND_WIDTH + 2
    if record.is_head or record.label:
        used += cells.width(" (HEAD, )" if record.is_head else " ()") + cells.width(safe(record.label or ""))
    return f"{line}{_fitting(record.subject, room - used)}".rstrip()


def _fitting(text: str, room: int) -> str:
    # Only so much of a long line as could be seen is made safe.
    return cells.cut(safe(text[: max(room, _LEAST_ROOM) * 4]), max(room, _LEAST_ROOM))


def medium(terminal: Terminal, record: EntryRecord, date: DateFormat, room: int | None) -> list[str]:
    """An entry as a few lines: a heading, its first words, a line for each tool call; cut to `room` columns."""
    lines = [heading(terminal, record, date)]
    says, calls, _ = digest(record.entry)
    if says and not (calls and says == ", ".join(calls)):
        lines.append(_INDENT + (safe(says) if room is None else _fitting(says, room - len(_INDENT))))
    for call in calls:
        line = safe(call) if room is None else _fitting(call, room - len(_INDENT) - 2)
        lines.append(_INDENT + terminal.style(f"> {line}", "tool"))
    return lines


def heading(terminal: Terminal, record: EntryRecord, date: DateFormat) -> str:
    """The line above an entry's content: id, kind, date, model, HEAD and label."""
    line = f"{terminal.style(safe(record.id), 'id')}  {terminal.style(_safe_name(record.kind), record.style)}  "
    if record.role == "assistant" and (model := record.model):
        line += f"{_safe_name(model)}  "
    return f"{line}{terminal.style(date.of(record.entry.timestamp), 'date')}{decoration(terminal, record)}"


def full(terminal: Terminal, record: EntryRecord, date: DateFormat) -> Iterator[str]:
    """An entry with all that it holds for people: heading and whole content, nothing cut."""
    yield heading(terminal, record, date)
    for line in content_lines(terminal, record.entry):
        yield _INDENT + line if line else ""


def content_lines(terminal: Terminal, entry: Entry) -> Iterator[str]:
    """The whole content of an entry, line by line: text, thinking, tool calls, results; images by kind and size."""
    if entry.type == "message":
        yield from message_lines(terminal, entry.message)
        return
    text = entry_text(entry)
    if text and entry.type not in ("label", "session_info"):
        yield from _text_lines(text)
    told = (*_ENVELOPE, *_TOLD_AS_TEXT.get(word(entry.type), ()))
    rest = {key: item for key, item in entry.value.items() if key not in told}
    if rest:
        yield from _fields(terminal, rest)


_ENVELOPE = ("type", "id", "parentId", "timestamp")
_TOLD_AS_TEXT = {
    "custom_message": ("content",),
    "compaction": ("summary", "systemMessage", "usage"),
    "branch_summary": ("summary", "usage"),
}


def message_lines(terminal: Terminal, message: JsonObject) -> Iterator[str]:
    """The whole content of a message, line by line."""
    role = message.get("role")
    content = message.get("content")
    if role == "toolResult":
        failed = terminal.style(" (failed)", "error") if message.get("isError") else ""
        yield terminal.style(f"< {safe(word(message.get('toolName')))}", "tool") + failed
    elif role == "bashExecution":
        yield terminal.style("< bash", "tool") + _outcome(terminal, message)
    if role == "bashExecution" or not isinstance(content, list):
        yield from _text_lines(message_text(message))
        return
    for block in content:
        if isinstance(block, dict):
            yield from _BLOCKS.get(word(block.get("type")), _unknown_block)(terminal, block)


def _outcome(terminal: Terminal, message: JsonObject) -> str:
    # How a shell command ended, in brackets behind a space, or nothing.
    code, path = message.get("exitCode"), message.get("fullOutputPath")
    parts = [] if code is None else [f"exit code {stringify(code)}"]
    if message.get("cancelled"):
        parts.append("cancelled")
    if message.get("truncated"):
        parts.append(f"output truncated: all of it is in {word(path)}" if path else "output truncated")
    if message.get("excludeFromContext"):
        parts.append("not for the model")
    if not parts:
        return ""
    text = safe(f" ({', '.join(parts)})")
    return terminal.style(text, "error") if message.get("cancelled") or code not in (None, 0) else text


def _text_lines(text: str) -> list[str]:
    return safe(text, newlines=True).split("\n") if text else []


def _text_block(_: Terminal, block: JsonObject) -> Iterator[str]:
    yield from _text_lines(content_text([block]))


def _thinking_block(terminal: Terminal, block: JsonObject) -> Iterator[str]:
    for line in _text_lines(word(block.get("thinking"))):
        yield terminal.style(f"| {line}", "other")


def _call_block(terminal: Terminal, block: JsonObject) -> Iterator[str]:
    arguments = block.get("arguments")
    yield terminal.style(f"> {safe(word(block.get('name')))}", "tool")
    if isinstance(arguments, dict):
        yield from ("  " + line for line in _fields(terminal, arguments))


def _image_block(terminal: Terminal, block: JsonObject) -> Iterator[str]:
    data = block.get("data")
    size = len(data) * 3 // 4 if isinstance(data, str) else 0
    yield terminal.style(f"[image {safe(word(block.get('mimeType')))}, {size:,} bytes]", "other")


def _unknown_block(terminal: Terminal, block: JsonObject) -> Iterator[str]:
    yield terminal.style(safe(stringify(block)), "other")


_BLOCKS: dict[str, Callable[[Terminal, JsonObject], Iterator[str]]] = {
    "text": _text_block,
    "thinking": _thinking_block,
    "toolCall": _call_block,
    "image": _image_block,
}


def _fields(terminal: Terminal, fields: dict[str, JsonValue]) -> Iterator[str]:
    for key, value in fields.items():
        name = terminal.style(f"{safe(key)}:", "other")
        lines = _text_lines(value) if isinstance(value, str) else [safe(stringify(value))]
        if len(lines) > 1:
            yield name
            yield from ("  " + line for line in lines)
        else:
            yield f"{name} {''.join(lines)}"
