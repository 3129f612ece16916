"""The content of messages: text blocks and tool calls."""

from collections.abc import Iterator

from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe


def tool_calls(message: JsonObject) -> list[JsonObject]:
    """The tool calls of an assistant message, in order."""
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == "toolCall"]


def called_tools(message: JsonObject) -> Iterator[JsonObject]:
    """The tool calls of an answer, and those that a tool made itself."""
    yield from (block for block in objects(message.get("content")) if block.get("type") == "toolCall")
    yield from nested_calls(message)


def nested_calls(message: JsonObject) -> list[JsonObject]:
    """The calls that a tool made itself, from its result."""
    nested = message.get("nestedCalls")
    return objects(nested.get("calls")) if isinstance(nested, dict) else []


def objects(value: JsonValue) -> list[JsonObject]:
    """The objects in a list, in order; none where the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


BRANCH_SUMMARY_PREAMBLE = (
    "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"
)
"""How the stored text of a branch summary begins (PI_SEMANTICS F)."""


def text_block(text: str) -> JsonObject:
    """A content block that holds text."""
    return {"type": "text", "text": text}


def content_text(content: Maybe, separator: str = "\n") -> str:
    """The text of a message's content: itself, or that of its text blocks joined."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
    return separator.join([text if isinstance(text, str) else "" for text in texts])


def user_message(text: str, timestamp_ms: int) -> JsonObject:
    """A message of the user as Pi's command line writes it: its content is a list of blocks (PI_DETAILS G1)."""
    return {"role": "user", "content": [text_block(text)], "timestamp": timestamp_ms}
