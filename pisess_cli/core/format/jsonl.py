"""Bytes, lines and JSON as JavaScript sees them; nothing here knows of sessions.

What `JSON.parse` takes after UTF-8 decoding with replacement is taken, what it rejects is a `BadLine`
(PI_SEMANTICS A). What comes back are Python's own values; numbers stay as precise as they were written.
"""

from collections.abc import Iterator

import msgspec

from pisess_cli.core.format.javascript import BadLine, JsonValue, js_keys, js_number, js_trim


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
        from pisess_cli.core.format.deep_json import DeepReader

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
