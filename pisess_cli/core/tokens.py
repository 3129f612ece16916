"""How many tokens messages take: estimates from their text, and what the usage of an answer says (PI_DETAILS E1)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pisess_cli.core.entries import Entry, map_key
from pisess_cli.core.jsonl import UNDEFINED, JsonObject, Maybe, stringify, utf16_length
from pisess_cli.core.projection import Projection
from pisess_cli.core.system_message import replayed_system_message

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
    """The tokens of one message, at four UTF-16 units each, rounded up; what is no text or image counts nothing."""
    return -(-_chars(message) // CHARS_PER_TOKEN)


def _chars(message: JsonObject) -> int:
    role = message.get("role")
    content = message.get("content")
    if role == "assistant":
        return sum(_answer_block_chars(block) for block in content if isinstance(block, dict)) if _is_list(content) else 0
    if role in ("user", "custom", "toolResult"):
        return _content_chars(content)
    if role == "system":
        return _content_chars(content) + _sections_chars(message) + _tools_chars(message)
    if role == "bashExecution":
        return _length(message.get("command")) + _length(message.get("output"))
    if role in ("branchSummary", "compactionSummary"):
        return _length(message.get("summary"))
    return 0
