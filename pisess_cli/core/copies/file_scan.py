"""The lines of a session file that may be damaged: what Pi sees on each of them, what it does not see, and why."""

import os
import re
import stat
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pisess_cli.core.errors import NotASession, UsageFault, os_fault
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import CURRENT_VERSION, ENTRY_TYPES, Entry, Header, is_header, read_entry
from pisess_cli.core.format.ids import uuid7
from pisess_cli.core.format.javascript import BadLine, JsonObject
from pisess_cli.core.format.migration import migrate
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.storage.session_file import may_be_session
from pisess_cli.core.store.directory import validate_session_id

_KNOWN_TYPES = frozenset(("session", *ENTRY_TYPES))
_START = re.compile(rb'\{"type":"(?:' + "|".join(sorted(_KNOWN_TYPES)).encode() + rb')"')
_REASON_LENGTH = 100


class Line(NamedTuple):
    """A line that is not blank. `number` counts from 1, `start` and `end` are its place in the file.

    `entry` is what Pi sees on it, if anything; `fault` tells why the line is no JSON, where it is none. In a line that
    others were written into, `starts` tells how many entries begin, and `pieces` are those of them that are whole.
    """

    number: int
    start: int
    end: int
    entry: Entry | None
    fault: str = ""
    starts: int = 0
    pieces: tuple[Entry, ...] = ()


class Found(NamedTuple):
    """An entry and the number of its line."""

    line: int
    entry: Entry


class FileScan:
    """A session file, line by line. `header` is the first that there is, or one made up where there is none.

    Raises `NotASession` for a file without a line that could belong to a session, `PisessError` for what the system
    refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = _read(path)
        self.lines = list(_lines(self.data))
        found = [entry for line in self.lines for entry in (line.pieces if line.entry is None else (line.entry,))]
        if not any(entry.type in _KNOWN_TYPES for entry in found if isinstance(entry.type, str)):
            raise NotASession(f"not a session: no line holds a session header or an entry ({path})")
        header = next(filter(is_header, found), None)
        self.has_header = header is not None
        self.header = Header(header or Entry.from_value(_new_header(path, found)))

    @property
    def is_cut_off(self) -> bool:
        """Whether the last line does not end with a newline."""
        return not self.data.endswith(b"\n")

    def found(self, *, with_pieces: bool = False) -> list[Found]:
        """What Pi keeps of the file, in order, as the current version has it; headers and what is no object too.

        With pieces: also what stands whole in lines that are no JSON.
        """
        found = [
            Found(line.number, entry)
            for line in self.lines
            for entry in ((line.entry,) if line.entry else line.pieces if with_pieces else ())
        ]
        if not self.header.is_old:
            return found
        # A first version's compactions count the header as a line of the file.
        made = [] if self.has_header else [Found(0, self.header.entry)]
        old = [*made, *found]
        new = migrate(self.header, [one.entry for one in old])
        return [Found(one.line, entry) for one, entry in zip(old, new, strict=True)][len(made) :]


def _read(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK, opening a FIFO would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
                raise NotASession(f"not a session file, but {kind} ({path})")
            if not may_be_session(status):
                raise NotASession(f"too large for a session file ({path})")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                # What is written meanwhile is not seen.
                return file.read(status.st_size)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise os_fault(error, path) from error


def _lines(data: bytes) -> Iterator[Line]:
    for number, (start, end) in enumerate(jsonl.line_spans(data), 1):
        try:
            entry = read_entry(data, start, end)
        except BadLine as error:
            if not jsonl.is_blank(data[start:end]):
                yield _bad_line(data, Line(number, start, end, None, _reason(error, data[start:end])))
            continue
        yield Line(number, start, end, entry)


def _bad_line(data: bytes, line: Line) -> Line:
    starts = [found.start() for found in _START.finditer(data, line.start, line.end)]
    pieces = [_piece(data, start, end) for start, end in pairwise((*starts, line.end))]
    return line._replace(starts=len(starts), pieces=tuple(piece for piece in pieces if piece))


def _piece(data: bytes, start: int, end: int) -> Entry | None:
    try:
        return read_entry(data, start, end)
    except BadLine:
        return None


def _reason(error: BadLine, line: bytes) -> str:
    if not line.strip(b"\0"):
        return f"{len(line)} NUL bytes"
    cause = error.__cause__
    reason = str(getattr(cause, "msg", error))[:_REASON_LENGTH]
    # The decoder counts characters of a line that has no line breaks: its line and column say nothing.
    position = getattr(cause, "pos", None)
    return reason if position is None else f"{reason} (character {position + 1})"


def _new_header(path: Path, found: list[Entry]) -> JsonObject:
    # What a broken header says is kept; the rest is known from the file's name, or not at all.
    old = next((entry.value for entry in found if entry.type == "session"), {})
    has_ids = any(isinstance(entry.id, str) for entry in found if entry.type != "session")
    first_time = next((entry.timestamp for entry in found if isinstance(entry.timestamp, str)), iso(now_ms()))
    default: JsonObject = {
        "type": "session",
        "version": CURRENT_VERSION if has_ids else 1,
        "id": _id_in_name(path),
        "timestamp": first_time,
    }
    return default | {key: value for key, value in old.items() if key != "id"}


def _id_in_name(path: Path) -> str:
    try:
        return validate_session_id(path.stem.partition("_")[2])
    except UsageFault:
        return uuid7()
