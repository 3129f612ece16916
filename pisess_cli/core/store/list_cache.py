"""What lists learned of each session file, kept from one command to the next; never trusted over the file."""

import os
import time
from collections.abc import Mapping
from copy import copy
from pathlib import Path

import msgspec

from pisess_cli.core.storage import cache_file
from pisess_cli.core.storage.cache_file import FileState
from pisess_cli.core.store.overview import Overview

_FILE_NAME = "sessions.cache"
_VERSION = 1
_LONGEST_FIRST_MESSAGE = 256 * 1024


class Record(msgspec.Struct, array_like=True, frozen=True):
    """A file as it was when it was read, what its lines came to, and its last bytes."""

    state: FileState
    overview: Overview
    tail: bytes

    def known_part(self, descriptor: int, state: FileState) -> tuple[Overview, int] | None:
        """The overview and where to go on, if the open file is this one with something added. Raises `OSError`."""
        if not self.state.has_grown_to(state, descriptor, self.tail):
            return None
        return copy(self.overview), self.state.size


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
        is_racy = record.state.is_racy(self._opened_ns)
        if not is_racy and len(record.overview.first_message) <= _LONGEST_FIRST_MESSAGE:
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
        cache_file.save(self._path, packed)

    def _load(self) -> dict[bytes, Record]:
        content = cache_file.load(self._path, _decode, _VERSION)
        return content.records if content else {}


def _is_encodable(item: tuple[bytes, Record]) -> bool:
    # Lone surrogates are text to JavaScript, but not in UTF-8.
    try:
        _encode(item[1])
    except UnicodeEncodeError:
        return False
    return True


def open_cache(environment: Mapping[str, str]) -> Cache | None:
    """The user's cache, or None if `PISESS_NO_CACHE` is set to anything."""
    directory = cache_file.cache_directory(environment)
    return None if directory is None else Cache(directory)
