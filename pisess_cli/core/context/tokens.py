"""How many tokens messages take: estimates from their text, and what the usage of an answer says (PI_DETAILS E1)."""

from collections.abc import Sequence
from typing import NamedTuple

from pisess_cli.core.context.projection import Projection
from pisess_cli.core.context.system_message import replayed_system_message
from pisess_cli.core.format.entries import Entry, map_key
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe, as_number, is_truthy, utf16_length
from pisess_cli.core.format.jsonl import stringify

CHARS_PER_TOKEN = 4
IMAGE_CHARS = 4800
USAGE_PARTS = ("input", "output", "cacheRead", "cacheWrite")


class ContextEstimate(NamedTuple):
    """The tokens of a context: those that the last answer's usage counted, and estimates of what follows that answer.

    `last_usage_index` is that answer's place among the messages; None where no usage counts and all is estimated.
    """

    tokens: float
    usage_tokens: float
    trailing_tokens: int
    last_usage_index: int | None


def estimate_tokens(message: JsonObject) -> int:
    """The tokens of one message: four UTF-16 units each, rounded up. What holds no text where text is due counts 0."""
    return -(-_chars(message) // CHARS_PER_TOKEN)


def _chars(message: JsonObject) -> int:
    role = message.get("role")
    content = message.get("content")
    if role == "assistant":
        return sum(map(_answer_block_chars, content)) if isinstance(content, list) else 0
    if role in ("user", "custom", "toolResult"):
        return _content_chars(content)
    if role == "system":
        return _content_chars(content) + _sections_chars(message.get("sections")) + _tools_chars(message)
    if role == "bashExecution":
        return _length(message.get("command")) + _length(message.get("output"))
    if role in ("branchSummary", "compactionSummary"):
        return _length(message.get("summary"))
    return 0


def _length(value: Maybe) -> int:
    return utf16_length(value) if isinstance(value, str) else 0


def _content_chars(content: Maybe) -> int:
    return sum(map(_block_chars, content)) if isinstance(content, list) else _length(content)


def _block_chars(block: Maybe) -> int:
    if not isinstance(block, dict):
        return 0
    kind = block.get("type")
    if kind == "image":
        return IMAGE_CHARS
    return _length(block.get("text")) if kind == "text" else 0


def _answer_block_chars(block: Maybe) -> int:
    # An answer's images count nothing, unlike those that it was asked about.
    if not isinstance(block, dict):
        return 0
    kind = block.get("type")
    if kind == "toolCall":
        arguments = stringify(block["arguments"]) if "arguments" in block else ""
        return _length(block.get("name")) + utf16_length(arguments)
    if kind in ("text", "thinking"):
        return _length(block.get(str(kind)))
    return 0


def _sections_chars(sections: Maybe) -> int:
    return sum(map(_length, sections.values())) if isinstance(sections, dict) else 0


def _tools_chars(message: JsonObject) -> int:
    tools = message.get("toolsAdded")
    return utf16_length(stringify(tools)) if is_truthy(tools) else 0


def usage_total(usage: Maybe) -> float | None:
    """All tokens that a usage counts, its `totalTokens` or else the sum of its parts; None unless that is above 0."""
    if not isinstance(usage, dict):
        return None
    total = usage.get("totalTokens")
    if is_truthy(total):
        counted = as_number(total)
    else:
        parts = [as_number(usage.get(part, UNDEFINED)) for part in USAGE_PARTS]
        counted = sum(part for part in parts if part is not None) if None not in parts else None
    return counted if counted is not None and counted > 0 else None


def _answer_tokens(message: JsonObject) -> float | None:
    # An answer that was broken off has no usage to go by.
    if message.get("role") != "assistant" or message.get("stopReason") in ("aborted", "error"):
        return None
    return usage_total(message.get("usage"))


def estimate_context_tokens(messages: Sequence[JsonObject]) -> ContextEstimate:
    """What a context takes: the last usage that counts, and estimates of the messages after it."""
    trailing = 0
    for index in range(len(messages) - 1, -1, -1):
        counted = _answer_tokens(messages[index])
        if counted is not None:
            return ContextEstimate(counted + trailing, counted, trailing, index)
        trailing += estimate_tokens(messages[index])
    return ContextEstimate(trailing, 0, trailing, None)


def estimate_projected_context_tokens(projection: Projection, path: Sequence[Entry]) -> ContextEstimate:
    """What a projection takes. No usage is trusted if the path was edited or compacted at or after its entry.

    Then the replayed system message and all messages but system ones are estimated. Of `path` its end from the newest
    compaction on suffices.
    """
    messages = projection.messages
    estimate = estimate_context_tokens(messages)
    index = estimate.last_usage_index
    if index is not None and _is_current(_source_of(projection, index), path):
        return estimate
    system = replayed_system_message(messages)
    tokens = estimate_tokens(system) if system else 0
    tokens += sum(estimate_tokens(message) for message in messages if message.get("role") != "system")
    return ContextEstimate(tokens, 0, tokens, None)


def _source_of(projection: Projection, index: int) -> Entry:
    sources = (entry.source for entry in projection.entries for _ in entry.messages)
    return next(source for position, source in enumerate(sources) if position == index)


def _is_current(source: Entry, path: Sequence[Entry]) -> bool:
    # Pi finds the entry by its id, so one without an id is never found.
    wanted = map_key(source.id) if source.id else None
    for entry in reversed(path):
        if entry.type in ("context_edit", "compaction"):
            return False
        if wanted is not None and map_key(entry.id) == wanted:
            return True
    return False
