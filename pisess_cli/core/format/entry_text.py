"""The text of an entry: what people read of it, whole and as one line."""

from collections.abc import Iterator

from pisess_cli.core.format.content import BRANCH_SUMMARY_PREAMBLE, content_text, nested_calls, objects, tool_calls
from pisess_cli.core.format.entries import Digest, Entry
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, shown
from pisess_cli.core.format.jsonl import stringify


def entry_text(entry: Entry) -> str:
    """What an entry says, as plain text; empty where it says nothing in words (a tool call alone, say)."""
    value = entry.value
    if entry.type == "message":
        return message_text(entry.message)
    if entry.type == "custom_message":
        return content_text(value.get("content"))
    if entry.type in ("compaction", "branch_summary"):
        return _said(value, "summary")
    if entry.type == "context_edit":
        replacement = value.get("replacement")
        return content_text(replacement.get("content")) if isinstance(replacement, dict) else ""
    if entry.type == "label":
        return _said(value, "label")
    if entry.type == "session_info":
        return _said(value, "name")
    return ""


def message_text(message: JsonObject) -> str:
    """The words of a message: its text, a command and what it printed, a summary."""
    role = message.get("role")
    if role == "bashExecution":
        return f"$ {_said(message, 'command')}\n{_said(message, 'output')}".rstrip("\n")
    if role in ("branchSummary", "compactionSummary"):
        return _said(message, "summary")
    return content_text(message.get("content", UNDEFINED))


def _said(value: JsonObject, key: str) -> str:
    said = value.get(key)
    return "" if said is None else shown(said)


def digest(entry: Entry) -> Digest:
    """The digest of an entry, as it was read with it or else from all that it holds."""
    if entry.digest is not None:
        return entry.digest
    message = entry.message
    calls = list(map(call_line, tool_calls(message))) if entry.role == "assistant" else []
    return Digest(subject(entry), calls, message.get("model", UNDEFINED))


def subject(entry: Entry) -> str:
    """An entry in one line: the first line of what it says, or what it does. Not shortened."""
    if entry.digest is not None:
        return entry.digest.subject
    if entry.type == "message":
        message = entry.message
        return first_line(message_text(message)) or _wordless(message)
    text = entry_text(entry)
    first = (_summary_line(text) if entry.type in ("compaction", "branch_summary") else None) or first_line(text)
    value = entry.value
    if entry.type == "model_change":
        return f"model {_said(value, 'provider')}/{_said(value, 'modelId')}"
    if entry.type == "thinking_level_change":
        return f"thinking level {_said(value, 'thinkingLevel')}"
    if entry.type == "label":
        target = shown(value.get("targetId", ""))
        return f"label {first} on {target}" if first else f"no label on {target}"
    if entry.type == "context_edit":
        target = shown(value.get("targetId", ""))
        return f"omit {target}" if value.get("replacement", UNDEFINED) is None else f"replace {target}: {first}"
    if entry.type == "session_info":
        return f"name {first}" if first else "no name"
    if entry.type == "custom":
        return _said(value, "customType")
    if entry.type == "usage":
        return f"usage of {_said(value, 'provider')}/{_said(value, 'model')} ({_said(value, 'kind')})"
    return first


def first_line(text: str) -> str:
    """The first line that is not blank, without white space around it; `""` if there is none."""
    text = text.lstrip()
    end = text.find("\n")
    return (text if end < 0 else text[:end]).rstrip()


def _summary_line(text: str) -> str | None:
    # What a summary says first, behind the words that introduce it and above its headings.
    lines = text.removeprefix(BRANCH_SUMMARY_PREAMBLE).split("\n")
    return next((line.strip() for line in lines if line.strip() and not line.startswith("#")), None)


def _wordless(message: JsonObject) -> str:
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return wordless(list(map(call_line, tool_calls(message))), [shown(block.get("type")) for block in blocks])


def wordless(calls: list[str], kinds: list[str]) -> str:
    """What stands for the words of a message without words: its tool calls, or else the kinds of its blocks."""
    if calls:
        return ", ".join(calls)
    return f"({', '.join(kinds)})" if kinds else "(empty)"


CALL_SUBJECTS = ("path", "command", "pattern")
"""The arguments that tell what a tool call is about, the first of them that is a text."""


def call_about(name: str, about: str) -> str:
    """A tool call in one line that names what it is about."""
    return f"{name}: {about.strip().partition(chr(10))[0]}"


def call_line(call: JsonObject) -> str:
    """A tool call in one line: its name, and what it is about (a path or a command) or all its arguments."""
    arguments: JsonValue = call.get("arguments")
    name = shown(call.get("name"))
    if isinstance(arguments, dict):
        for key in CALL_SUBJECTS:
            about = arguments.get(key)
            if isinstance(about, str):
                return call_about(name, about)
    return name if arguments in (None, {}) else f"{name}: {stringify(arguments)}"


_OWN_TEXTS = {
    "compaction": "summary",
    "branch_summary": "summary",
    "label": "label",
    "session_info": "name",
    "usage": "note",
}
_BLOCK_TEXTS = {"text": "text", "thinking": "thinking"}


def searchable_texts(entry: JsonObject) -> Iterator[str]:
    """The texts of an entry, in the order in which they stand there."""
    type_ = entry.get("type")
    if type_ == "message":
        message = entry.get("message")
        if isinstance(message, dict):
            yield from _message_texts(message)
    elif type_ == "custom_message":
        yield from _content_texts(entry.get("content"))
    elif type_ == "context_edit":
        replacement = entry.get("replacement")
        if isinstance(replacement, dict):
            yield from _content_texts(replacement.get("content"))
    elif isinstance(type_, str) and type_ in _OWN_TEXTS:
        yield from _strings(entry.get(_OWN_TEXTS[type_]))


def _message_texts(message: JsonObject) -> Iterator[str]:
    yield from _content_texts(message.get("content"))
    for key in ("command", "output", "errorMessage", "sections"):
        yield from _strings(message.get(key))
    for call in nested_calls(message):
        yield from _call_texts(call)


def _content_texts(content: JsonValue) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in objects(content):
        type_ = block.get("type")
        if type_ == "toolCall":
            yield from _call_texts(block)
        elif isinstance(type_, str) and type_ in _BLOCK_TEXTS:
            yield from _strings(block.get(_BLOCK_TEXTS[type_]))


def _call_texts(call: JsonObject) -> Iterator[str]:
    yield from _strings(call.get("name"))
    yield from _strings(call.get("arguments"))


def _strings(value: JsonValue) -> Iterator[str]:
    # The value if it is a string, else the strings in it, in order.
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            todo += reversed(item)
        elif isinstance(item, dict):
            todo += reversed(item.values())
