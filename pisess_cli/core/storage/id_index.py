"""The ids, labels and names of a session, found without decoding its messages; cached for large files."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from pisess_cli.core.errors import os_fault
from pisess_cli.core.format.entries import PI_MESSAGE, Entry, read_entry
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.storage.cache_file import FileState, cache_directory, load, read_tail, save
from pisess_cli.core.storage.session_file import SessionFile

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


_FOLDER = "marks"
_VERSION = 1
_WORTH_WRITING = 4 * 1024 * 1024
"""So much is read again each time rather than kept anew."""
_MOST = 32
"""Of so many sessions the marks are kept, those that were read last."""


class _Owner(msgspec.Struct, array_like=True):
    # Whose marks they are: the start of what is kept.
    version: int
    path: bytes


class _Kept(_Owner, array_like=True):
    state: FileState
    tail: bytes
    ids: list[bytes]
    lines: list[tuple[int, bytes]]


_decode_owner = msgspec.msgpack.Decoder(_Owner).decode
_decode = msgspec.msgpack.Decoder(_Kept).decode
_encode = msgspec.msgpack.Encoder().encode


def kept_marks(file: SessionFile, environment: Mapping[str, str]) -> Marks:
    """The marks of a file, as `read_marks` gives them. Raises `PisessError` when it cannot be read."""
    directory = cache_directory(environment)
    if directory is None:
        return read_marks(file)
    state = FileState.of(file.status)
    place = directory / _FOLDER / f"{state.device:x}-{state.inode:x}.cache"
    marks, start = Marks(set(), [], []), 0
    try:
        kept = _known(place, file, state)
        if kept is not None:
            marks.ids.update(kept.ids)
            marks.add(kept.lines)
            start = kept.state.size
        read_marks(file, marks, start)
        if state.size - start >= _WORTH_WRITING and not state.is_racy(time.time_ns()):
            _keep(place, file, state, marks)
    except OSError as error:
        raise os_fault(error, file.path) from error
    return marks


def _known(place: Path, file: SessionFile, state: FileState) -> _Kept | None:
    # What was kept of the file, if that is still so; a change in its midst is seen where it concerns a mark.
    kept = load(place, _decode, _VERSION)
    if kept is None or kept.state == state:
        return kept
    has_grown = kept.state.has_grown_to(state, file.descriptor, kept.tail)
    return kept if has_grown and all(_stands_there(file, *line) for line in kept.lines) else None


def _stands_there(file: SessionFile, place: int, line: bytes) -> bool:
    return os.pread(file.descriptor, len(line) + 1, place) == line + b"\n"


def _keep(place: Path, file: SessionFile, state: FileState, marks: Marks) -> None:
    tail = read_tail(file.descriptor, state.size)
    if not tail.endswith(b"\n"):
        return
    path = os.fsencode(file.path.absolute())
    lines = list(zip(marks.places, (entry.raw for entry in marks.entries), strict=True))
    save(place, _encode(_Kept(_VERSION, path, state, tail, list(marks.ids), lines)))
    with suppress(OSError):
        _make_room(place)


def _make_room(newest: Path) -> None:
    # Takes away what is of sessions that are gone, of another version, or older than enough others.
    others = [newest.with_name(name) for name in os.listdir(newest.parent) if name != newest.name]  # noqa: PTH208 - quicker
    others.sort(key=lambda place: place.stat().st_mtime_ns, reverse=True)
    for number, place in enumerate(others, 1):
        if number >= _MOST or not _has_owner(place):
            place.unlink(missing_ok=True)


def _has_owner(place: Path) -> bool:
    owner = load(place, _decode_owner, _VERSION)
    return owner is not None and os.path.lexists(owner.path)
