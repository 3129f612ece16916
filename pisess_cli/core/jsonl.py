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
        from pisess_cli.core.deep_json import DeepReader

        return DeepReader(text, _decode_exactly).read()
    except ValueError as error:
        raise BadLine(str(error)) from error
    return value


def _refuse_constant(name: str) -> float:
    raise BadLine(f"{name} is not JSON")


def _parse_int(digits: str) -> int | float:
    # Python refuses to read integers of thousands of digits; JavaScript reads a double.
    return int(digits) if len(digits) < 400 else float(digits)


_encode_fast = msgspec.json.Encoder().encode


def quote(text: str) -> str:
    """The text as `JSON.stringify` writes it: lone surrogates as escapes, all else that need not be one as it is."""
    try:
        return _encode_fast(text).decode()
    except UnicodeEncodeError:
        from json.encoder import encode_basestring

        return "".join(
            f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character
            for character in encode_basestring(text)
        )


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


_INDEX = r"0|[1-9][0-9]{0,9}"


def js_keys(value: Mapping[str, object]) -> list[str]:
    """The keys of an object in JavaScript's order: integer-like ones first, ascending, then the others as they came."""
    keys = list(value)
    if not any(key[:1].isdigit() for key in keys):
        return keys
    indices = {key for key in keys if re.fullmatch(_INDEX, key) and int(key) < 2**32 - 1}
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
            out.append(quote(item))
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
                todo.append((f"{',' if index else ''}{quote(keys[index])}:",))
    return "".join(out)


def encode(value: JsonValue) -> bytes:
    """The value as JSON in UTF-8, without a newline: the same value as `stringify`, made for size and speed."""
    try:
        return _encode_fast(value)
    except (ValueError, RecursionError, OverflowError, msgspec.MsgspecError):
        return stringify(value).encode()


def utf16_length(text: str) -> int:
    """How long JavaScript says the text is: its UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_order(text: str) -> bytes:
    """A sort key: the order of JavaScript's `sort()` of strings, by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")
