"""Where the strings and containers of a line stand in its bytes, so that some change and all else stays as it is."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pisess_cli.core.format import jsonl

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRING_OR_KEY = re.compile(rb"(" + _STRING.pattern + rb")(?:\s*+:)?", re.DOTALL)
_TOKEN = re.compile(rb"[{}\[\],:]|" + _STRING.pattern, re.DOTALL)


class Container(NamedTuple):
    """An object or a list: its bytes, the place of the one around it (-1: none), and the key that it has there."""

    start: int
    end: int
    outer: int
    key: str | None


class Text(NamedTuple):
    """A string: its bytes with the quotes, the place of the container that it is in (-1: none), and its key there.

    `key` is None in a list. `is_key`: the string is a key itself, `key` is what it says.
    """

    start: int
    end: int
    container: int
    key: str | None
    is_key: bool


class Spans(NamedTuple):
    """What stands in a line, in the order of its bytes; a container comes before what is in it."""

    containers: list[Container]
    texts: list[Text]


def spans(line: bytes) -> Spans:
    """The strings and containers of a line of JSON."""
    containers: list[Container] = []
    texts: list[Text] = []
    # The open containers: the place of each, and in an object the key that was read last, None before a key.
    around: list[tuple[int, bool]] = []
    keys: list[str | None] = []
    for token in _TOKEN.finditer(line):
        first = line[token.start()]
        place, is_object = around[-1] if around else (-1, False)
        key = keys[-1] if keys else None
        if first in b"{[":
            around.append((len(containers), first == ord("{")))
            containers.append(Container(token.start(), -1, place, key))
            keys.append(None)
        elif first in b"}]":
            containers[place] = containers[place]._replace(end=token.end())
            around.pop()
            keys.pop()
        elif first == ord(","):
            keys[-1] = None
        elif first == ord('"'):
            is_key = is_object and key is None
            if is_key:
                key = keys[-1] = string_at(line, token.start(), token.end())
            texts.append(Text(token.start(), token.end(), place, key, is_key))
    return Spans(containers, texts)


def strings(line: bytes) -> Iterator[tuple[str, str | None]]:
    """What the strings of a line say, keys too, in their order; with each value its key, None where that is not near.

    They are those of `spans`. A decoder would not give those that stand behind a key that comes again in an object.
    """
    key: str | None = None
    for found in _STRING_OR_KEY.finditer(line):
        text = string_at(line, *found.span(1))
        is_key = found.end() > found.end(1)
        yield text, None if is_key else key
        key = text if is_key else None


def string_at(line: bytes, start: int, end: int) -> str:
    """What the string says whose quotes are the first and the last of these bytes."""
    inside = line[start + 1 : end - 1]
    if b"\\" not in inside:
        return inside.decode("utf-8", "replace")
    value = jsonl.decode(line[start:end])
    return value if isinstance(value, str) else ""


def string_bytes(text: str) -> bytes:
    """A text as a string of JSON."""
    return jsonl.stringify(text).encode()


def spliced(line: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    """The line with other bytes in place of those from start to end; an edit within an earlier or wider one is void."""
    out: list[bytes] = []
    position = 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= position:
            out += (line[position:start], new)
            position = end
    return b"".join((*out, line[position:]))
