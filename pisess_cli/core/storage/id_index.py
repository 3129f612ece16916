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

INDEXED_TYPES = ("label", "session_info")
WORTH_CACHING = 8 * 1024 * 1024
"""The index of files from this size on is cached: building it takes as long as the start of a command."""


class IdIndex(NamedTuple):
    """The ids of all entries, in UTF-8; the entries of `INDEXED_TYPES`, in order, and where their lines begin."""

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
                if entry and entry.type in INDEXED_TYPES:
                    self.entries.append(entry)
                    self.places.append(place)


def read_id_index(file: SessionFile, index: IdIndex | None = None, start: int = 0) -> IdIndex:
    """The index of a file of the current version, in little memory; messages as Pi writes them are not decoded.

    `index` is that of the lines before `start`, which are not read again.
    """
    found = index or IdIndex(set(), [], [])
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
"""Up to this size, what is new in a file is read again each time rather than written to the cache."""
_MOST = 32
"""The index is cached of so many sessions, those that were read last."""


class _Owner(msgspec.Struct, array_like=True):
    # Which session the index is of: the start of a cached file.
    version: int
    path: bytes


class _Cached(_Owner, array_like=True):
    state: FileState
    tail: bytes
    ids: list[bytes]
    lines: list[tuple[int, bytes]]


_decode_owner = msgspec.msgpack.Decoder(_Owner).decode
_decode = msgspec.msgpack.Decoder(_Cached).decode
_encode = msgspec.msgpack.Encoder().encode


def cached_id_index(file: SessionFile, environment: Mapping[str, str]) -> IdIndex:
    """The index of a file, as `read_id_index` gives it. Raises `PisessError` when it cannot be read."""
    directory = cache_directory(environment)
    if directory is None:
        return read_id_index(file)
    state = FileState.of(file.status)
    place = directory / _FOLDER / f"{state.device:x}-{state.inode:x}.cache"
    index, start = IdIndex(set(), [], []), 0
    try:
        cached = _known(place, file, state)
        if cached is not None:
            index.ids.update(cached.ids)
            index.add(cached.lines)
            start = cached.state.size
        read_id_index(file, index, start)
        if state.size - start >= _WORTH_WRITING and not state.is_racy(time.time_ns()):
            _write(place, file, state, index)
    except OSError as error:
        raise os_fault(error, file.path) from error
    return index


def _known(place: Path, file: SessionFile, state: FileState) -> _Cached | None:
    # The cached index, if it still holds; a change before its end is noticed in indexed lines.
    cached = load(place, _decode, _VERSION)
    if cached is None or cached.state == state:
        return cached
    has_grown = cached.state.has_grown_to(state, file.descriptor, cached.tail)
    return cached if has_grown and all(_is_at(file, *line) for line in cached.lines) else None


def _is_at(file: SessionFile, place: int, line: bytes) -> bool:
    return os.pread(file.descriptor, len(line) + 1, place) == line + b"\n"


def _write(place: Path, file: SessionFile, state: FileState, index: IdIndex) -> None:
    tail = read_tail(file.descriptor, state.size)
    if not tail.endswith(b"\n"):
        return
    path = os.fsencode(file.path.absolute())
    lines = list(zip(index.places, (entry.raw for entry in index.entries), strict=True))
    save(place, _encode(_Cached(_VERSION, path, state, tail, list(index.ids), lines)))
    with suppress(OSError):
        _evict(place)


def _evict(newest: Path) -> None:
    # Deletes what is of sessions that are gone, of another version, or older than `_MOST` others.
    others = [newest.with_name(name) for name in os.listdir(newest.parent) if name != newest.name]  # noqa: PTH208 - quicker
    others.sort(key=lambda place: place.stat().st_mtime_ns, reverse=True)
    for number, place in enumerate(others, 1):
        if number >= _MOST or not _has_owner(place):
            place.unlink(missing_ok=True)


def _has_owner(place: Path) -> bool:
    owner = load(place, _decode_owner, _VERSION)
    return owner is not None and os.path.lexists(owner.path)
