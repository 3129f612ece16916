"""What holds for a session as a whole, found without decoding its messages: its ids, its labels, its name."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from pisess_cli.core.entries import PI_MESSAGE, Entry, read_entry
from pisess_cli.core.jsonl import BadLine
from pisess_cli.core.reader import SessionFile

MARK_TYPES = ("label", "session_info")


class Marks(NamedTuple):
    """The ids of all entries, in UTF-8, and the entries of `MARK_TYPES` in the file's order."""

    ids: set[bytes]
    entries: list[Entry]


def read_marks(file: SessionFile) -> Marks:
    """The marks of a file of the current version, in little memory; messages as Pi writes them are not decoded."""
    marks = Marks(set(), [])
    for line in lines_beside_messages(file, marks.ids.add):
        _add_line(marks, line)
    return marks


def lines_beside_messages(file: SessionFile, add_id: Callable[[bytes], object]) -> Iterator[bytes]:
    """The lines of a file, in order, but for those that begin as Pi's messages; the ids of those go to `add_id`."""
    begins_as_message = PI_MESSAGE.match
    for data, size in file.blocks():
        start = 0
        while start < size:
            end = data.find(b"\n", start, size)
            if end < 0:
                end = size
            if message := begins_as_message(data, start):
                add_id(message[1])
            else:
                yield data[start:end]
            start = end + 1


def _add_line(marks: Marks, line: bytes) -> None:
    with suppress(BadLine):
        entry = read_entry(line, 0, len(line))
        if entry and isinstance(entry.id, str):
            marks.ids.add(entry.id.encode("utf-8", "surrogatepass"))
        if entry and entry.type in MARK_TYPES:
            marks.entries.append(entry)
