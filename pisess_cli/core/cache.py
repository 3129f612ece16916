"""What was learned of each session file, kept from one command to the next; never trusted over the file.

One file, which may be deleted at any time. Whatever is wrong with it, or with the directory it should go to, costs
no more than the reading that it would have saved.
"""

import os
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from pathlib import Path

import msgspec

from pisess_cli.core.errors import PisessError
from pisess_cli.core.summary import Summary

_FILE_NAME = "sessions.cache"
_VERSION = 1
_CHECKSUM_BYTES = 4
_TAIL_BYTES = 256
_RACY_NS = 2_000_000_000
"""A file that changed so short before it was read may change again without a new modification time."""
_LONGEST_FIRST_MESSAGE = 256 * 1024


class FileState(msgspec.Struct, array_like=True, frozen=True):
    """What tells that a file has not changed."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileState":
        """The state that the system tells."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class Record(msgspec.Struct, array_like=True, frozen=True):
    """A file as it was when it was read, what its lines came to, and its last bytes."""

    state: FileState
    summary: Summary
    tail: bytes

    def known_part(self, descriptor: int, state: FileState) -> tuple[Summary, int] | None:
        """The summary and where to go on, if the open file is this one with something added. Raises `OSError`."""
        old = self.state
        if (old.device, old.inode) != (state.device, state.inode) or old.size > state.size:
            return None
        if not self.tail.endswith(b"\n") or read_tail(descriptor, old.size) != self.tail:
            return None
        return copy(self.summary), old.size


def read_tail(descriptor: int, size: int) -> bytes:
    """The last bytes before `size` in an open file. Raises `OSError`."""
    start = max(0, size - _TAIL_BYTES)
    return os.pread(descriptor, size - start, start)


class _Content(msgspec.Struct, array_like=True):
    version: int
    records: dict[bytes, Record]


_decode = msgspec.msgpack.Decoder(_Content).decode
_encode = msgspec.msgpack.Encoder().encode


class Cache:
    """The records of the files, in memory; `save` adds them to those on disk."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE_NAME
        self._opened_ns = time.time_ns()
        self._records = self._load()
        self._learned: dict[bytes, Record] = {}

    def get(self, path: Path) -> Record | None:
        """What is known of the file. It may be out of date."""
        return self._records.get(os.fsencode(path))

    def put(self, path: Path, record: Record) -> None:
        """Notes what was learned of a file, unless it is too fresh to be recognised later."""
        is_racy = record.state.mtime_ns > self._opened_ns - _RACY_NS
        if not is_racy and len(record.summary.first_message) <= _LONGEST_FIRST_MESSAGE:
            self._learned[os.fsencode(path)] = record

    def save(self) -> None:
        """Writes what was learned since; leaves out files that are gone."""
        if not self._learned:
            return
        # Others may have written meanwhile; what is lost between here and there is learned again.
        records = self._load() | self._learned
        content = _Content(_VERSION, {path: record for path, record in records.items() if os.path.lexists(path)})
        self._learned = {}
        try:
            packed = _encode(content)
        except UnicodeEncodeError:
            content.records = dict(filter(_is_encodable, content.records.items()))
            packed = _encode(content)
        self._replace(zlib.crc32(packed).to_bytes(_CHECKSUM_BYTES) + packed)

    def _load(self) -> dict[bytes, Record]:
        try:
            data = self._path.read_bytes()
            if zlib.crc32(data[_CHECKSUM_BYTES:]) != int.from_bytes(data[:_CHECKSUM_BYTES]):
                return {}
            content = _decode(data[_CHECKSUM_BYTES:])
        except (OSError, msgspec.MsgspecError, ValueError):
            return {}
        return content.records if content.version == _VERSION else {}

    def _replace(self, data: bytes) -> None:
        from pisess_cli.core.atomic import beside
        from pisess_cli.core.paths import private_mkdir

        # A cache that cannot be written is no failure of what was asked for.
        with suppress(OSError, PisessError):
            private_mkdir(self._path.parent)
            with beside(self._path) as temporary:
                temporary.write_bytes(data)
                temporary.replace(self._path)


def _is_encodable(item: tuple[bytes, Record]) -> bool:
    # Lone surrogates are text to JavaScript, but not in UTF-8.
    try:
        _encode(item[1])
    except UnicodeEncodeError:
        return False
    return True


def open_cache(environment: Mapping[str, str]) -> Cache | None:
    """The user's cache, or None if `PISESS_NO_CACHE` is set to anything."""
    if environment.get("PISESS_NO_CACHE"):
        return None
    from platformdirs import user_cache_path

    return Cache(user_cache_path("pisess"))
