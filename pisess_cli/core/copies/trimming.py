"""Session lines without what takes most room: images, and what tools and commands put out at length."""

from collections.abc import Iterator
from typing import NamedTuple

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.line_strings import Spans, spans, spliced, string_at, string_bytes

_OUTPUT_ROLES = ("toolResult", "bashExecution")
_OUTPUT_KEYS = ("text", "content", "output")
_IN_OUTPUT = ("content", "details")
FREE_FIELDS = ("arguments", "details", "data")
"""What tools and extensions fill as they like: nothing in it holds the session together."""
_MOST_OF_A_TYPE = 40
_LEAST_OF_DETAILS = 1000
_LEAST = 40
"""What is shorter is not cut: the note would be no shorter."""
_Edit = tuple[int, int, bytes]


class Trimming(NamedTuple):
    """What goes: images if `strip_images`; of each text that a tool or a command put out, what is over `max_output`.

    A note stands in its place. The length is in bytes, the note's own included.
    """

    strip_images: bool = False
    max_output: int | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing goes."""
        return not self.strip_images and self.max_output is None

    def line(self, line: bytes, entry: Entry) -> bytes:
        """The line of an entry, shortened if there is anything to take; the same object if there is not."""
        has_image = self.strip_images and b"image" in line
        is_long = self.max_output is not None and entry.role in _OUTPUT_ROLES and len(line) > self.max_output
        if not has_image and not is_long:
            return line
        found = spans(line)
        edits = list(_images(line, found)) if has_image else []
        if is_long and self.max_output is not None:
            edits += _long_outputs(line, found, self.max_output)
        return spliced(line, edits) if edits else line


def _images(line: bytes, found: Spans) -> Iterator[_Edit]:
    said: dict[int, dict[str | None, str]] = {}
    for text in found.texts:
        if text.key in ("type", "mimeType", "data") and not text.is_key:
            is_data = text.key == "data"
            # The picture itself need not be decoded to know its size.
            words = line[text.start + 1 : text.end - 1].decode("ascii", "replace") if is_data else None
            said.setdefault(text.container, {})[text.key] = words or string_at(line, text.start, text.end)
    for place, block in said.items():
        if place >= 0 and block.get("type") == "image" and "data" in block and _is_block(found, place):
            kind = block.get("mimeType", "")[:_MOST_OF_A_TYPE] or "image"
            note = string_bytes(f"[{kind} left out, {_decoded_size(block['data']):,} bytes]")
            yield *found.containers[place][:2], b'{"type":"text","text":%s}' % note


def _is_block(found: Spans, place: int) -> bool:
    # Whether it lies in a list of content, and in nothing that tools and extensions fill as they like.
    content = found.containers[place].outer
    if content < 0 or found.containers[content].key != "content":
        return False
    while content >= 0 and found.containers[content].key not in FREE_FIELDS:
        content = found.containers[content].outer
    return content < 0


def _decoded_size(base64: str) -> int:
    return len(base64.rstrip("=")) * 3 // 4


def _long_outputs(line: bytes, found: Spans, most: int) -> Iterator[_Edit]:
    # What each container is: the message itself, its content, its details.
    parts: list[str | None] = []
    for container in found.containers:
        around = parts[container.outer] if container.outer >= 0 else None
        if container.outer == 0 and container.key == "message":
            parts.append("message")
        elif around == "message":
            parts.append(container.key if container.key in _IN_OUTPUT else None)
        else:
            parts.append(around)
    for text in found.texts:
        part = parts[text.container] if text.container >= 0 else None
        is_said = part in ("message", "content") and text.key in _OUTPUT_KEYS
        limit = most if is_said else max(most, _LEAST_OF_DETAILS)
        if (is_said or part == "details") and not text.is_key and text.end - text.start > limit:
            old = string_at(line, text.start, text.end)
            new = shortened(old, limit)
            if new != old:
                yield text.start, text.end, string_bytes(new)


def shortened(text: str, most: int) -> str:
    """The text in no more bytes than that, or than 40: a note stands where its middle was."""
    data = text.encode("utf-8", "surrogatepass")
    most = max(most, _LEAST)
    if len(data) <= most:
        return text
    room = most - len(_note(len(data)))
    head, tail = room - room // 2, len(data) - room // 2
    while _is_within_character(data, head):
        head -= 1
    while _is_within_character(data, tail):
        tail += 1
    return (data[:head] + _note(tail - head) + data[tail:]).decode("utf-8", "surrogatepass")


def _note(count: int) -> bytes:
    return f"\n[{count:,} bytes left out]\n".encode()


def _is_within_character(data: bytes, place: int) -> bool:
    return place < len(data) and data[place] & 0xC0 == 0x80
