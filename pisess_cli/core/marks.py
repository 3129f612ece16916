"""What holds for a session as a whole, found without decoding its messages: its ids, its labels, its name."""

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
    add_id = marks.ids.add
    begins_as_message = PI_MESSAGE.match
    for line in file.lines():
        if message := begins_as_message(line):
            add_id(message[1])
        else:
            _add_line(marks, line.removesuffix(b"\n"))
    return marks


def _add_line(marks: Marks, line: bytes) -> None:
    with suppress(BadLine):
        entry = read_entry(line, 0, len(line))
        if entry and isinstance(entry.id, str):
            marks.ids.add(entry.id.encode("utf-8", "surrogatepass"))
        if entry and entry.type in MARK_TYPES:
            marks.entries.append(entry)
