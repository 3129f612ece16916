"""JSON of any depth; hardly any line needs it."""

import re
from collections.abc import Callable

from pisess_cli.core.format.javascript import BadLine, JsonObject, JsonValue

_SPACE = re.compile(r"[ \t\n\r]*")
_CLOSING = {"[": "]", "{": "}"}
_SCALAR = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{},:"]+', re.DOTALL)


class DeepReader:
    """Reads JSON that is nested deeper than the interpreter's stack: the open containers are on a list of our own.

    `scalar`: what reads a string, a number or a word; it raises `BadLine`.
    """

    def __init__(self, text: str, scalar: Callable[[str], JsonValue]) -> None:
        self._text = text
        self._read_scalar = scalar
        self._position = 0
        # Each open container, and the key in it that waits for its value.
        self._open: list[tuple[list[JsonValue] | JsonObject, str]] = []

    def read(self) -> JsonValue:
        """The value that the text holds. Raises `BadLine`."""
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
        return self._read_scalar(found.group())

    def _next(self) -> str:
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position
        return self._text[self._position : self._position + 1]

    def _fault(self) -> BadLine:
        return BadLine(f"unexpected character at {self._position}")
