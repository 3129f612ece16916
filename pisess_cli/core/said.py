"""All that an entry says in words: what a search looks through.

Of each kind of entry the texts that people and models read; no ids, no images, no signatures, no data of extensions.
Every text is a whole string of the entry's JSON, so that it stands in the file's bytes.
"""

from collections.abc import Iterator

from pisess_cli.core.jsonl import JsonObject, JsonValue

_OWN_TEXTS = {
    "compaction": "summary",
    "branch_summary": "summary",
    "label": "label",
    "session_info": "name",
    "usage": "note",
}
_BLOCK_TEXTS = {"text": "text", "thinking": "thinking"}


def said_texts(entry: JsonObject) -> Iterator[str]:
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
    for block in _objects(content):
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


def called_tools(message: JsonObject) -> Iterator[JsonObject]:
    """The tool calls of an answer, and those that a tool made itself."""
    yield from (block for block in _objects(message.get("content")) if block.get("type") == "toolCall")
    yield from nested_calls(message)


def nested_calls(message: JsonObject) -> list[JsonObject]:
    """The calls that a tool made itself, from its result."""
    nested = message.get("nestedCalls")
    return _objects(nested.get("calls")) if isinstance(nested, dict) else []


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
