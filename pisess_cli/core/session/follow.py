"""A session as it grows: the entries that are written while one looks on."""

import time
from collections.abc import Iterator

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.session_file import SessionFile

POLL_S = 0.2


def follow_entries(session: Session, *, poll_s: float = POLL_S) -> Iterator[Entry]:
    """The entries that are added to the session's file, as they come, without end.

    A line is taken once its newline is there. A file that was rewritten or replaced is read anew from the place where
    the last entry that was seen stands in it, from its end if it has that no more. Raises `PisessError` when it goes.
    """
    file = session.file
    position = file.size
    last = session.leaf
    while True:
        current = SessionFile(session.path)
        if current.size < position or not _is_same(file, current):
            position = _after(current, last)
        file = current
        end = position + file.read(position, file.size).rfind(b"\n") + 1
        for entry in file.entries(position, end):
            last = entry
            yield entry
        position = end
        time.sleep(poll_s)


def _is_same(one: SessionFile, other: SessionFile) -> bool:
    return (one.status.st_dev, one.status.st_ino) == (other.status.st_dev, other.status.st_ino)


def _after(file: SessionFile, last: Entry | None) -> int:
    # Behind the line of the last entry that was seen.
    data = file.read(0, file.size)
    for start, end in reversed(list(jsonl.line_spans(data))):
        if last is not None and any(entry.id == last.id for entry in file.entries(start, end)):
            return min(end + 1, file.size)
    return file.size
