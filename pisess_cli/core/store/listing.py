"""The list of sessions: what one knows of each without reading it again (PI_SEMANTICS H)."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache as cached
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec.structs import astuple

from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.format.times import iso, parse_ms
from pisess_cli.core.storage.blocks import BlockReader
from pisess_cli.core.storage.cache_file import FileState, read_tail
from pisess_cli.core.storage.paths import real_directory
from pisess_cli.core.storage.session_file import may_be_session
from pisess_cli.core.storage.workers import process_count, spread
from pisess_cli.core.store.list_cache import Cache, Record
from pisess_cli.core.store.overview import Overview, read_overview

NO_MESSAGES = "(no messages)"
_Packed: TypeAlias = tuple[tuple[int, int, int, int], tuple[object, ...], bytes]
"""A record in plain values, as it comes from another process."""


class SessionInfo(NamedTuple):
    """A session in the list. Times are ISO strings, None where the file holds none that is a date.

    `modified` is the time of its last user or assistant message, else of its header, else of the file. `cwd` is empty
    and `first_message` is "(no messages)" where the file has none. `size` is in bytes.
    """

    path: Path
    id: str
    cwd: str
    name: str | None
    parent_session: str | None
    created: str | None
    modified: str | None
    message_count: int
    first_message: str
    mtime_ns: int
    size: int

    def as_json(self) -> JsonObject:
        """The session as `find --json` shows it."""
        return {
            "path": str(self.path),
            "id": self.id,
            "cwd": self.cwd or None,
            "name": self.name,
            "parentSession": self.parent_session,
            "created": self.created,
            "modified": self.modified,
            "messageCount": self.message_count,
            "firstMessage": self.first_message,
        }


class SessionFilter(NamedTuple):
    """What a session has to be; what is None does not matter.

    `cwd` is an absolute directory: the session's own, not one below it. `name` is part of the session's name in upper
    or lower case, `session_id` the start of its id. Times are in milliseconds and concern the last message.
    """

    cwd: str | None = None
    name: str | None = None
    session_id: str | None = None
    since: float | None = None
    until: float | None = None

    def select(self, infos: Iterable[SessionInfo]) -> Iterator[SessionInfo]:
        """The sessions that are wanted, in their order."""
        real = cached(real_directory)
        wanted = None if self.cwd is None else real(self.cwd)
        return (info for info in infos if self._fits(info) and (wanted is None or real(info.cwd) == wanted))

    def _fits(self, info: SessionInfo) -> bool:
        if self.session_id is not None and not info.id.startswith(self.session_id):
            return False
        if self.name is not None and self.name.casefold() not in (info.name or "").casefold():
            return False
        if self.since is None and self.until is None:
            return True
        time = parse_ms(info.modified)
        return time is not None and (self.since or 0) <= time and (self.until is None or time <= self.until)


def list_sessions(
    paths: Iterable[Path], cache: Cache | None = None, tick: Callable[[], object] | None = None
) -> list[SessionInfo]:
    """The sessions among the files, the last modified first, equal times in the order of the files.

    `tick` is called for each file that had to be read. What is no session, or cannot be read, is left out.
    """
    found = [info for _, info in sorted(_scan(paths, cache, tick or (lambda: None)))]
    # ISO strings in UTC sort as their times do; a time that is no date comes last.
    found.sort(key=lambda info: info.modified or "", reverse=True)
    return found


def _scan(paths: Iterable[Path], cache: Cache | None, tick: Callable[[], object]) -> Iterator[tuple[int, SessionInfo]]:
    # Each session with its place among the paths: first those that need no reading.
    unread: list[tuple[int, Path, Record | None]] = []
    total = 0
    for place, path in enumerate(paths):
        try:
            status = path.stat()
        except OSError:
            continue
        if not may_be_session(status):
            continue
        record = cache.get(path) if cache else None
        if record and record.state == FileState.of(status):
            yield place, _info(path, record)
        else:
            unread.append((place, path, record))
            total += status.st_size - (record.state.size if record else 0)
    work = partial(_learn, BlockReader())
    for (place, path, _), learned in zip(unread, spread(work, unread, process_count(total)), strict=True):
        for state, overview, tail in learned:
            record = Record(FileState(*state), Overview(*overview), tail)  # type: ignore[arg-type] # as it was packed
            yield place, _info(path, record)
            if cache:
                cache.put(path, record)
        tick()
    if cache:
        cache.save()


def _learn(reader: BlockReader, job: tuple[int, Path, Record | None]) -> Iterator[_Packed]:
    # What there is to know of a file; nothing if it is no session or cannot be read.
    _, path, record = job
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        state = FileState.of(os.fstat(descriptor))
        known = record.known_part(descriptor, state) if record else None
        overview = read_overview(reader, descriptor, state.size, known)
        if overview:
            yield astuple(state), astuple(overview), read_tail(descriptor, state.size)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _info(path: Path, record: Record) -> SessionInfo:
    overview, state = record.overview, record.state
    modified: float | None = overview.active_ms or overview.started_ms
    if modified is None:
        modified = state.mtime_ns // 1_000_000
    return SessionInfo(
        path,
        overview.id,
        overview.cwd,
        overview.name,
        overview.parent_session,
        _date(overview.started_ms),
        _date(modified),
        overview.message_count,
        overview.first_message or NO_MESSAGES,
        state.mtime_ns,
        state.size,
    )


def _date(ms: float | None) -> str | None:
    try:
        return None if ms is None else iso(ms)
    except (OverflowError, ValueError):
        return None


SORT_KEYS: dict[str, tuple[Callable[[SessionInfo], str | int], bool]] = {
    "modified": (lambda info: info.modified or "", True),
    "created": (lambda info: info.created or "", True),
    "name": (lambda info: (info.name or info.first_message).casefold(), False),
    "messages": (lambda info: info.message_count, True),
    "size": (lambda info: info.size, True),
    "cwd": (lambda info: info.cwd, False),
}
"""What sessions can be sorted by, and whether the greatest comes first."""


def sorted_sessions(infos: Iterable[SessionInfo], key: str) -> list[SessionInfo]:
    """The sessions in the order of a key of `SORT_KEYS`; equal ones keep their order."""
    of, descending = SORT_KEYS[key]
    return sorted(infos, key=of, reverse=descending)
