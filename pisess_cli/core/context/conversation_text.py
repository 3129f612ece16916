"""A conversation as text for whoever summarises it (PI_DETAILS E5)."""

from collections.abc import Iterable, Iterator

from pisess_cli.core.context.messages import convert_to_llm
from pisess_cli.core.format.content import content_text
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe, js_keys, shown, utf16_length
from pisess_cli.core.format.jsonl import stringify

TOOL_RESULT_UNITS = 2000
"""UTF-16 units that are left of a tool result."""


def conversation_text(messages: Iterable[JsonObject]) -> str:
    """The messages of a projection as text."""
    return serialize_conversation(convert_to_llm(messages))


def serialize_conversation(messages: Iterable[JsonObject]) -> str:
    """Messages for a model (`convert_to_llm`) as text, a blank line between the parts.

    System messages, thinking and images are left out, tool results are cut.
    """
    return "\n\n".join(part for message in messages for part in _parts(message))


def _parts(message: JsonObject) -> Iterator[str]:
    role = message.get("role")
    content = message.get("content")
    if role == "assistant":
        if isinstance(content, str) or _blocks(content, "text"):
            yield f"[Assistant]: {content_text(content)}"
        calls = "; ".join(map(_call, _blocks(content, "toolCall")))
        if calls:
            yield f"[Assistant tool calls]: {calls}"
    elif role in ("user", "toolResult"):
        text = content_text(content, "")
        if text:
            yield f"[User]: {text}" if role == "user" else f"[Tool result]: {_shortened(text)}"


def _blocks(content: Maybe, kind: str) -> list[JsonObject]:
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


def _call(block: JsonObject) -> str:
    arguments = ", ".join(f"{name}={stringify(value)}" for name, value in _arguments(block.get("arguments")))
    return f"{shown(block.get('name', UNDEFINED))}({arguments})"


def _arguments(arguments: JsonValue) -> Iterable[tuple[str, JsonValue]]:
    # What is no object is listed as JavaScript lists it: by its indices.
    if isinstance(arguments, dict):
        return ((name, arguments[name]) for name in js_keys(arguments))
    if isinstance(arguments, list):
        return ((str(index), item) for index, item in enumerate(arguments))
    if isinstance(arguments, str):
        return ((str(index), unit) for index, unit in enumerate(_units(arguments)))
    return ()


def _units(text: str) -> Iterator[str]:
    encoded = text.encode("utf-16-le", "surrogatepass")
    for start in range(0, len(encoded), 2):
        yield encoded[start : start + 2].decode("utf-16-le", "surrogatepass")


def _shortened(text: str) -> str:
    length = utf16_length(text)
    if length <= TOOL_RESULT_UNITS:
        return text
    head = text[:TOOL_RESULT_UNITS]
    # The last step may take one unit too many, so that no surrogate pair is cut in two.
    while (excess := utf16_length(head) - TOOL_RESULT_UNITS) > 0:
        head = head[: -max(1, excess // 2)]
    return f"{head}\n\n[... {length - TOOL_RESULT_UNITS} more characters truncated]"
