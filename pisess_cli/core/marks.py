"""What holds for a session as a whole, found without decoding its messages: its ids, its labels, its name."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from pisess_cli.core.entries import PI_MESSAGE, Entry, read_entry
from pisess_cli.core.jsonl import BadLine
from pisess_cli.core.reader import SessionFile

MARK_TYPES = ("label", "session_info")
WORTH_KEEPING = 8 * 1024 * 1024
"""Of files that large the marks are kept: looking for them takes as long as the start of a command."""


class Marks(NamedTuple):
    """The ids of all entries, in UTF-8; the entries of `MARK_TYPES`, in order, and where their lines begin."""

    ids: set[bytes]
    entries: list[Entry]
    places: list[int]

    def add(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Takes in what stands on the lines, each with its place."""
        for place, line in lines:
            with suppress(BadLine):
                entry = read_entry(line, 0, len(line))
                if entry and isinstance(entry.id, str):
                    self.ids.add(entry.id.encode("utf-8", "surrogatepass"))
                if entry and entry.type in MARK_TYPES:
                    self.entries.append(entry)
                    self.places.append(place)


def read_marks(file: SessionFile, marks: Marks | None = None, start: int = 0) -> Marks:
    """The marks of a file of the current version, in little memory; messages as Pi writes them are not decoded.

    `marks` are those of the lines before `start`, which are not read again.
    """
    found = marks or Marks(set(), [], [])
    found.add(lines_beside_messages(file, found.ids.add, start))
    return found


def lines_beside_messages(
    file: SessionFile, add_id: Callable[[bytes], object], start: int = 0
) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from `start` on, where one begins, each with its place, but for those of Pi's messages.

    The ids of those go to `add_id`.
    """
    begins_as_message = PI_MESSAGE.match
    for place, block in file.blocks(start):
        buffer, size = block
        position = 0
        while position < size:
            end = block.line_end(position)
            if message := begins_as_message(buffer, position):
                add_id(message[1])
            else:
                yield place + position, block.copy(position, end)
            position = end + 1
