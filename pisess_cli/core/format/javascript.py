"""Values as JavaScript sees them: `undefined`, numbers, white space, key order, the length of a text."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

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


def js_trim(text: str) -> str:
    """The text without JavaScript's white space at its ends (U+FEFF and U+2028 are some, U+0085 is not)."""
    return text.strip(JS_WHITESPACE)


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


def utf16_length(text: str) -> int:
    """How long JavaScript says the text is: its UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_order(text: str) -> bytes:
    """A sort key: the order of JavaScript's `sort()` of strings, by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def defined(fields: dict[str, Maybe]) -> JsonObject:
    """The fields that have a value, as `JSON.stringify` would keep them."""
    return {key: value for key, value in fields.items() if not isinstance(value, UnsetType)}


def shown(value: Maybe) -> str:
    """A value as JavaScript puts it into a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, UnsetType):
        return "undefined"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return js_number(value)
    if isinstance(value, list):
        return ",".join(_items(value))
    return "[object Object]"


def _items(values: list[JsonValue]) -> Iterator[str]:
    # Lists in lists show as one list, however deep: no recursion.
    todo = list(reversed(values))
    while todo:
        item = todo.pop()
        if isinstance(item, list) and item:
            todo += reversed(item)
        else:
            yield "" if item is None or item == [] else shown(item)


def is_truthy(value: Maybe) -> bool:
    """Whether JavaScript takes the value for true: as Python does, but for empty lists and objects, which are."""
    return bool(value) or isinstance(value, list | dict)


def as_number(value: Maybe) -> float | None:
    """The value as JavaScript adds it: null is 0, integers beyond a double are infinite; None for what is no number."""
    if value is None:
        return 0
    if not isinstance(value, int | float):
        return None
    try:
        double = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return int(double) if double.is_integer() and abs(double) < 2**53 else double
