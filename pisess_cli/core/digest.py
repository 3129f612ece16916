"""What a log shows of an entry in a line or two, read together with the entry instead of decoding all of it later."""

from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from pisess_cli.core import jsonl
from pisess_cli.core.entries import Entry, Envelope, MessageHead, read_entry
from pisess_cli.core.jsonl import Maybe
from pisess_cli.core.messages import shown
from pisess_cli.core.text import call_line, first_line, subject, tool_calls, wordless

# Their words stand elsewhere than in their content.
_OTHER_ROLES = ("bashExecution", "branchSummary", "compactionSummary")
# Most first lines end before so many bytes of JSON.
_USUAL_LINE = 600


class Digest(NamedTuple):
    """An entry's subject; of an answer its tool calls, a line each; the model that a message names."""

    subject: str
    calls: list[str]
    model: Maybe


class _Block(msgspec.Struct, gc=False):
    type: str | UnsetType | None = UNSET
    text: Raw | UnsetType = UNSET
    name: str | UnsetType | None = UNSET
    arguments: Raw | UnsetType = UNSET


class _Message(MessageHead, gc=False):
    model: str | UnsetType | None = UNSET
    content: list[_Block] | str | UnsetType | None = UNSET


class _Digestible(Envelope, gc=False):
    message: _Message | UnsetType = UNSET


_decode_digestible = msgspec.json.Decoder(_Digestible).decode


def digest(entry: Entry) -> Digest:
    """The digest of an entry, as it was read with it or else from all that it holds."""
    if entry.digest is not None:
        return entry.digest
    message = entry.message
    calls = list(map(call_line, tool_calls(message))) if entry.role == "assistant" else []
    return Digest(subject(entry), calls, message.get("model", UNSET))


def read_digested(source: bytes, start: int, end: int) -> Entry | None:
    """What `read_entry` gives, with its digest where it is a message."""
    try:
        found = _decode_digestible(memoryview(source)[start:end])
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return read_entry(source, start, end)
    entry = Entry(source, start, end, found)
    message = found.message
    if message and found.type == "message" and message.role not in _OTHER_ROLES:
        try:
            entry.digest = _digest(message)
        except jsonl.BadLine:
            return entry
    return entry


def _digest(message: _Message) -> Digest:
    content = message.content
    says = first_line(content) if isinstance(content, str) else ""
    calls: list[str] = []
    blocks = content if isinstance(content, list) else []
    for block in blocks:
        if block.type == "toolCall":
            calls.append(_call(block))
        elif block.type == "text" and not says:
            says = _first_line(block.text)
    if not says:
        says = wordless(calls, [shown(block.type or None) for block in blocks])
    return Digest(says, calls if message.role == "assistant" else [], message.model)


def _call(block: _Block) -> str:
    arguments = None if isinstance(block.arguments, UnsetType) else jsonl.decode(memoryview(block.arguments))
    return call_line({"name": block.name or None, "arguments": arguments})


def _first_line(text: Raw | UnsetType) -> str:
    if isinstance(text, UnsetType):
        return ""
    view = memoryview(text)
    head = bytes(view[:_USUAL_LINE])
    end = head.find(b"\\n")
    if end > 0:
        # The text up to the escape of a newline, without decoding the rest.
        try:
            beginning = jsonl.decode(head[:end] + b'"')
        except jsonl.BadLine:
            beginning = ""  # the backslash is itself escaped
        line = first_line(beginning) if isinstance(beginning, str) else ""
        if line:
            return line
    whole = jsonl.decode(view)
    return first_line(whole) if isinstance(whole, str) else ""
