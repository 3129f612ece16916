"""What an exported entry shows, piece by piece, the same for every kind of page. All text here has passed `safe()`."""

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from pisess_cli.core.context.messages import entry_messages
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.entry_text import call_line, message_text, subject
from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe
from pisess_cli.core.format.jsonl import stringify
from pisess_cli.view.entry import word
from pisess_cli.view.sanitize import safe

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_LONGEST_LINE = 200
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}", re.ASCII)

_ROLE_NAMES = {
    "user": "User",
    "assistant": "Assistant",
    "toolResult": "Tool result",
    "bashExecution": "Shell command",
    "system": "System",
    "custom": "Extension",
    "branchSummary": "Summary of another branch",
    "compactionSummary": "Summary of what came before",
}
_TYPE_NAMES = {
    "message": "Message",
    "custom_message": "Extension",
    "custom": "Extension data",
    "branch_summary": "Summary of another branch",
    "compaction": "Summary of what came before",
    "context_edit": "Context edit",
    "label": "Label",
    "session_info": "Name",
    "usage": "Usage",
    "model_change": "Model",
    "thinking_level_change": "Thinking level",
}


class Text(NamedTuple):
    """Words, as they were written."""

    text: str


class Thinking(NamedTuple):
    """What a model thought."""

    text: str


class Call(NamedTuple):
    """A tool call: its id, its name with what it is about in one line, and its arguments as lines of text.

    There are no arguments where the line says it all.
    """

    call_id: str
    line: str
    arguments: str


class Output(NamedTuple):
    """What a program printed, or data as JSON."""

    text: str


class Image(NamedTuple):
    """An image: its type, the size in bytes, and its data in base64; no data where a page should not show it."""

    mime_type: str
    size: int
    data: str | None


Part: TypeAlias = Text | Thinking | Call | Output | Image


def kind_name(entry: Entry) -> str:
    """What the entry is, in words for a heading."""
    role = word(entry.role)
    if role:
        return _ROLE_NAMES.get(role) or safe(role)
    return _TYPE_NAMES.get(word(entry.type)) or safe(word(entry.type)) or "Entry"


def tool_of(entry: Entry) -> tuple[str, str, bool] | None:
    """Of a tool result or a shell command: the call's id, the tool's name or the command, and whether it failed."""
    message = entry.message
    if entry.role == "toolResult":
        return word(message.get("toolCallId")), safe(word(message.get("toolName"))), bool(message.get("isError"))
    if entry.role == "bashExecution":
        code = message.get("exitCode")
        return "", safe(f"$ {word(message.get('command'))}"), bool(message.get("cancelled")) or code not in (None, 0)
    return None


def entry_parts(entry: Entry) -> Iterator[Part]:
    """What the entry holds for people, in order; nothing where it says nothing."""
    if entry.type in ("message", "custom_message", "branch_summary", "compaction"):
        for message in entry_messages(entry):
            # The system message that a compaction carries along is no word of the conversation.
            if entry.type != "compaction" or message.get("role") != "system":
                yield from _message_parts(message)
    elif entry.type in ("context_edit", "label", "session_info", "model_change", "thinking_level_change", "usage"):
        yield Text(safe(subject(entry)))
    else:
        rest = {key: value for key, value in entry.value.items() if key not in ("type", "id", "parentId", "timestamp")}
        if rest:
            yield Output(_fields(rest))


def _message_parts(message: JsonObject) -> Iterator[Part]:
    role = message.get("role")
    content = message.get("content")
    if role == "bashExecution":
        output = word(message.get("output"))
        if output:
            yield Output(safe(output, newlines=True))
    elif not isinstance(content, list):
        text = safe(message_text(message), newlines=True)
        if text:
            yield Output(text) if role == "toolResult" else Text(text)
    else:
        for block in content:
            if isinstance(block, dict):
                yield from _block_parts(block, as_output=role == "toolResult")


def _block_parts(block: JsonObject, *, as_output: bool) -> Iterator[Part]:
    kind = block.get("type")
    if kind == "text":
        text = safe(word(block.get("text")), newlines=True)
        if text:
            yield Output(text) if as_output else Text(text)
    elif kind == "thinking":
        text = safe(word(block.get("thinking")), newlines=True)
        if text.strip():
            yield Thinking(text)
    elif kind == "toolCall":
        yield _call(block)
    elif kind == "image":
        yield _image(block)
    else:
        yield Output(safe(stringify(block)))


def _call(block: JsonObject) -> Call:
    line = safe(call_line(block))
    arguments = block.get("arguments")
    fields = _fields(arguments) if isinstance(arguments, dict) else _value(arguments)
    says_all = len(line) <= _LONGEST_LINE and "\n" not in fields
    if isinstance(arguments, dict) and len(arguments) == 1 and says_all:
        fields = ""
    return Call(word(block.get("id")), line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…", fields)


def _image(block: JsonObject) -> Image:
    mime_type, data = block.get("mimeType"), block.get("data")
    encoded = data if isinstance(data, str) else ""
    is_shown = mime_type in _IMAGE_TYPES and len(encoded) % 4 == 0 and _BASE64.fullmatch(encoded) is not None
    return Image(safe(word(mime_type)), len(encoded) * 3 // 4, encoded if is_shown else None)


def _fields(fields: dict[str, JsonValue]) -> str:
    lines: list[str] = []
    for key, value in fields.items():
        text = _value(value)
        lines.append(f"{safe(key)}:\n{text}" if "\n" in text else f"{safe(key)}: {text}")
    return "\n".join(lines)


def _value(value: Maybe) -> str:
    if isinstance(value, str):
        return safe(value, newlines=True)
    return safe(stringify(value)) if value or isinstance(value, bool | int | float) else ""
