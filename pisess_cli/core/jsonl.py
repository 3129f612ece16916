"""Bytes, lines and JSON as JavaScript sees them; nothing here knows of sessions.

What `JSON.parse` takes after UTF-8 decoding with replacement is taken, what it rejects is a `BadLine`
(PI_SEMANTICS A). What comes back are Python's own values; numbers stay as precise as they were written.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
JsonObject: TypeAlias = dict[str, JsonValue]

UNDEFINED = UNSET
"""Stands where JavaScript has `undefined`: a field that a line does not hold. It is falsy."""
Maybe: TypeAlias = JsonValue | UnsetType

JS_WHITESPACE = "".join(
    ("\t\n\v\f\r \u00a0\u1680", *map(chr, range(0x2000, 0x200B)), "\u2028\u2029\u202f\u205f\u3000\ufeff")
)


class BadLine(ValueError):
    """A line that `JSON.parse` rejects; the message says why."""


def line_spans(data: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
    """The (start, end) offsets of the lines of `data`, in order, without their newline; `\\n` alone ends a line."""
    size = len(data)
    while start < size:
        end = data.find(b"\n", start)
        if end < 0:
            end = size
        yield start, end
        start = end + 1


def is_blank(line: bytes) -> bool:
    """Whether nothing but what JavaScript's `trim()` removes stands in the line."""
    return not line.strip() or not js_trim(line.decode("utf-8", "replace"))


def js_trim(text: str) -> str:
    """The text without JavaScript's white space at its ends (U+FEFF and U+2028 are some, U+0085 is not)."""
    return text.strip(JS_WHITESPACE)


_decode_fast = msgspec.json.Decoder().decode


def decode(line: bytes | memoryview) -> JsonValue:
    """The value that a line holds; of duplicate keys the last wins. Raises `BadLine`."""
    try:
        value: JsonValue = _decode_fast(line)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return _decode_exactly(bytes(line).decode("utf-8", "replace"))
    return value


def _decode_exactly(text: str) -> JsonValue:
    # Lone surrogates, replaced bytes, numbers beyond a double: what msgspec refuses and JavaScript takes.
    import json

    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant, parse_int=_parse_int)
    except RecursionError:
        return _DeepReader(text).read()
    except ValueError as error:
        raise BadLine(str(error)) from error
    return value


def _refuse_constant(name: str) -> float:
    raise BadLine(f"{name} is not JSON")


def _parse_int(digits: str) -> int | float:
    # Python refuses to read integers of thousands of digits; JavaScript reads a double.
    return int(digits) if len(digits) < 400 else float(digits)


_SPACE = re.compile(r"[ \t\n\r]*")
_CLOSING = {"[": "]", "{": "}"}
_SCALAR = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{},:"]+', re.DOTALL)


class _DeepReader:
    """Reads JSON that is nested deeper than the interpreter's stack: the open containers are on a list of our own."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        # Each open container, and the key in it that waits for its value.
        self._open: list[tuple[list[JsonValue] | JsonObject, str]] = []

    def read(self) -> JsonValue:
        while True:
            value, complete = self._value()
            while complete and self._open:
                complete = self._put(value)
                if complete:
                    value = self._open.pop()[0]
            if complete:
                if self._next():
                    raise self._fault()
                return value

    def _value(self) -> tuple[JsonValue, bool]:
        # The value here, and whether it is complete; a container that holds something is opened instead.
        opening = self._next()
        if opening not in ("[", "{"):
            return self._scalar(), True
        self._position += 1
        container: list[JsonValue] | JsonObject = [] if opening == "[" else {}
        if self._next() == _CLOSING[opening]:
            self._position += 1
            return container, True
        self._open.append((container, self._key() if opening == "{" else ""))
        return container, False

    def _put(self, value: JsonValue) -> bool:
        # Into the innermost container; whether that is complete now.
        container, key = self._open[-1]
        if isinstance(container, list):
            container.append(value)
        else:
            container[key] = value
        following = self._next()
        self._position += 1
        if following == ",":
            self._open[-1] = (container, self._key() if isinstance(container, dict) else "")
            return False
        if following != ("]" if isinstance(container, list) else "}"):
            raise self._fault()
        return True

    def _key(self) -> str:
        key = self._scalar() if self._next() == '"' else None
        if not isinstance(key, str) or self._next() != ":":
            raise self._fault()
        self._position += 1
        return key

    def _scalar(self) -> JsonValue:
        found = _SCALAR.match(self._text, self._position)
        if not found:
            raise self._fault()
        self._position = found.end()
        return _decode_exactly(found.group())

    def _next(self) -> str:
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position
        return self._text[self._position : self._position + 1]

    def _fault(self) -> BadLine:
        return BadLine(f"unexpected character at {self._position}")


_SURROGATE = re.compile("[\ud800-\udfff]")


def _quote(text: str) -> str:
    from json.encoder import encode_basestring

    quoted = encode_basestring(text)
    if quoted.isascii() or not _SURROGATE.search(quoted):
        return quoted
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def js_number(number: float) -> str:
    """A number as JavaScript prints it: `1.0` is `1`, `1e21` is `1e+21`, integers beyond 2**53 lose digits."""
    try:
        double = float(number)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        return "null"
    if double == int(double) and abs(double) < 2**53:
        return str(int(double))
    sign = "-" if double < 0 else ""
    mantissa, _, exponent = f"{abs(double)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The point stands after this many of the digits.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


def js_keys(value: Mapping[str, object]) -> list[str]:
    """The keys of an object in JavaScript's order: integer-like ones first, ascending, then the others as they came."""
    keys = list(value)
    if not any(key[:1].isdigit() for key in keys):
        return keys
    indices = {key for key in keys if _INDEX.fullmatch(key) and int(key) < 2**32 - 1}
    return sorted(indices, key=int) + [key for key in keys if key not in indices]


def stringify(value: JsonValue) -> str:
    """The value as `JSON.stringify` writes it: compact, JavaScript's numbers and key order, lone surrogates escaped."""
    out: list[str] = []
    # Text that is ready stands in a tuple, so that it is not mistaken for a string value.
    todo: list[JsonValue | tuple[str]] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, tuple):
            out.append(item[0])
        elif isinstance(item, str):
            out.append(_quote(item))
        elif item is None or isinstance(item, bool):
            out.append({None: "null", True: "true", False: "false"}[item])
        elif isinstance(item, int | float):
            out.append(js_number(item))
        elif isinstance(item, list):
            out.append("[")
            todo.append(("]",))
            for index in range(len(item) - 1, -1, -1):
                todo.append(item[index])
                if index:
                    todo.append((",",))
        else:
            out.append("{")
            todo.append(("}",))
            keys = js_keys(item)
            for index in range(len(keys) - 1, -1, -1):
                todo.append(item[keys[index]])
                todo.append((f"{',' if index else ''}{_quote(keys[index])}:",))
    return "".join(out)


def encode(value: JsonValue) -> bytes:
    """The value as JSON in UTF-8, without a newline: the same value as `stringify`, made for size and speed."""
    try:
        return msgspec.json.encode(value)
    except (ValueError, RecursionError, OverflowError, msgspec.MsgspecError):
        return stringify(value).encode()


_TOKEN = re.compile(rb'[{}\[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+', re.DOTALL)


def _fields(line: bytes) -> tuple[list[tuple[str, int, int, int]], int]:
    # Of an object's line: (key, its start, its value's start and end) in order, and where the last brace is.
    found: list[tuple[str, int, int, int]] = []
    depth = 0
    key, key_start, value_start, value_end = "", -1, -1, -1
    for token in _TOKEN.finditer(line):
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
    tail = b",".join(_quote(key).encode() + b":" + new for key, new in missing.items())
    head = b"".join([*out, line[position:brace]])
    if tail and kept:
        tail = b"," + tail
    return head + tail + line[brace:]


def utf16_length(text: str) -> int:
    """How long JavaScript says the text is: its UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_order(text: str) -> bytes:
    """A sort key: the order of JavaScript's `sort()` of strings, by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")
