"""What holds for a session as a whole, found without decoding its messages: its ids, its labels, its name."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from pisess_cli.core.entries import Entry, read_entry
from pisess_cli.core.jsonl import BadLine
from pisess_cli.core.reader import SessionFile
from pisess_cli.core.workers import process_count, spread

MARK_TYPES = ("label", "session_info")
# How messages begin where they are written as Pi writes them.
_MESSAGE = re.compile(rb'\{"type":"message","id":"([^"\\\n]*)"')


class Marks(NamedTuple):
    """The ids of all entries, in UTF-8, and the entries of `MARK_TYPES` in the file's order."""

    ids: set[bytes]
    entries: list[Entry]


def read_marks(file: SessionFile) -> Marks:
    """The marks of a file of the current version, in the memory of a few blocks.

    A line that begins as Pi's messages do is taken for one without a look at the rest of it, since nearly all of a
    file is in them: a second type or id in it, which no writer of JSON gives it, would not be seen.
    """
    processes = process_count(file.size)
    starts = [file.line_start(file.size * number // processes) for number in range(processes)]
    marks = Marks(set(), [])
    for found in spread(lambda part: _scan(file, *part), list(pairwise([*starts, file.size])), processes):
        for ids, lines in found:
            marks.ids.update(ids)
            marks.entries.extend(entry for line in lines if (entry := _read(line)))
    return marks


def _scan(file: SessionFile, start: int, end: int) -> Iterator[tuple[list[bytes], list[bytes]]]:
    # For each block of a part of the file the ids, and the lines of marks.
    begins_message = _MESSAGE.match
    for block in file.blocks(start, end):
        buffer, size = block.buffer, block.size
        find = buffer.find
        ids: list[bytes] = []
        lines: list[bytes] = []
        position = 0
        while position < size:
            message = begins_message(buffer, position, size)
            if message:
                ids.append(message[1])
            else:
                line = block.copy(position, block.line_end(position))
                entry = _read(line)
                if entry and isinstance(entry.id, str):
                    ids.append(entry.id.encode("utf-8", "surrogatepass"))
                if entry and entry.type in MARK_TYPES:
                    lines.append(line)
            position = find(b"\n", position, size) + 1 or size
        yield ids, lines


def _read(line: bytes) -> Entry | None:
    with suppress(BadLine):
        return read_entry(line, 0, len(line))
    return None
