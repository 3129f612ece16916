"""The fields of an object's line, read and changed as bytes, so that all else keeps its spelling."""

import re
from collections.abc import Mapping

from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.format.jsonl import decode, quote

_TOKEN = rb'[{}\[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+'


def _fields(line: bytes) -> tuple[list[tuple[str, int, int, int]], int]:
    # Of an object's line: (key, its start, its value's start and end) in order, and where the last brace is.
    found: list[tuple[str, int, int, int]] = []
    depth = 0
    key, key_start, value_start, value_end = "", -1, -1, -1
    for token in re.finditer(_TOKEN, line, re.DOTALL):
        first = line[token.start()]
        if first in b"}]":
            depth -= 1
        if depth == 1 and first in b",:":
            if first == ord(":"):
                value_start = -2
            else:
                found.append((key, key_start, value_start, value_end))
                key_start = -1
        elif depth == 0 and first == ord("}"):
            if key_start >= 0:
                found.append((key, key_start, value_start, value_end))
            return found, token.start()
        elif depth == 1 and key_start < 0:
            name = decode(token.group())
            key, key_start = str(name), token.start()
        elif depth >= 1:
            value_start = token.start() if value_start == -2 else value_start
            value_end = token.end()
        if first in b"{[":
            depth += 1
    raise BadLine("not an object")


def field_bytes(line: bytes, key: str) -> bytes | None:
    """The bytes of a top-level field's value as they stand in the line (of duplicates the last), or None."""
    spans = [(start, end) for name, _, start, end in _fields(line)[0] if name == key]
    return line[slice(*spans[-1])] if spans else None


def with_fields(line: bytes, changes: Mapping[str, bytes | None]) -> bytes:
    """The line of an object with top-level fields set to the given JSON, or taken out (None); all else keeps its bytes.

    A field that is not there yet comes last. Raises `BadLine` if the line holds no object.
    """
    fields, brace = _fields(line)
    missing = {key: new for key, new in changes.items() if new is not None}
    out: list[bytes] = []
    position = 0
    kept = len(fields)
    for index, (key, key_start, value_start, value_end) in enumerate(fields):
        if key not in changes:
            continue
        new = changes[key]
        if new is not None:
            out += [line[position:value_start], new]
            position = value_end
            missing.pop(key, None)
            continue
        kept -= 1
        # A field goes with the comma behind it; the last one with the comma before it.
        if index + 1 < len(fields):
            out.append(line[position:key_start])
            position = fields[index + 1][1]
        else:
            before = b"".join([*out, line[position:key_start]]).rstrip()
            out = [before.removesuffix(b",")]
            position = value_end
    tail = b",".join(quote(key).encode() + b":" + new for key, new in missing.items())
    head = b"".join([*out, line[position:brace]])
    if tail and kept:
        tail = b"," + tail
    return head + tail + line[brace:]
