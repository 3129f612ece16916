"""What holds for a session as a whole, found without decoding its messages: its ids, its labels, its name."""

from contextlib import suppress
from typing import NamedTuple

from pisess_cli.core.entries import Entry, read_entry
from pisess_cli.core.jsonl import BadLine
from pisess_cli.core.reader import SessionFile

MARK_TYPES = ("label", "session_info")
# How messages begin where they are written as Pi writes them; its ids have eight digits.
_MESSAGE = b'{"type":"message","id":"'
_ID_START = len(_MESSAGE)
_ID_END = _ID_START + 8


class Marks(NamedTuple):
    """The ids of all entries, in UTF-8, and the entries of `MARK_TYPES` in the file's order."""

    ids: set[bytes]
    entries: list[Entry]


def read_marks(file: SessionFile) -> Marks:
    """The marks of a file of the current version, in little memory.

    A line that begins as Pi's messages do is taken for one without a look at the rest of it, since nearly all of a
    file is in them: a second type or id in it, which no writer of JSON gives it, would not be seen.
    """
    marks = Marks(set(), [])
    add_id = marks.ids.add
    for line in file.lines():
        if line[:_ID_START] == _MESSAGE and line[_ID_END : _ID_END + 1] == b'"' and line[_ID_START:_ID_END].isalnum():
            add_id(line[_ID_START:_ID_END])
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
