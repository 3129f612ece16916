"""The only module that writes session files: append under a lock, create exclusively, replace atomically (SPEC 6)."""

import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType

from pisess_cli.core import jsonl
from pisess_cli.core.atomic import beside, put_new, sync_directory
from pisess_cli.core.entries import Entry, build_entry, new_id
from pisess_cli.core.errors import PisessError
from pisess_cli.core.jsonl import Maybe
from pisess_cli.core.reader import SessionFile, Whole, os_fault
from pisess_cli.core.session import Session
from pisess_cli.core.times import iso, now_ms

LOCK_WAIT_S = 10.0
# The lock goes to whoever asks first: among processes that write all the time one has to ask often.
_LOCK_POLL_S = 0.002


class Appender:
    """A session file, locked for appending: what it shows is the file as it is now.

    A context manager. The lock is one on the session file itself, so that it ends with the process and leaves nothing
    behind. A file of an old version is migrated first. Raises `PisessError` when the system refuses, or when another
    pisess holds the lock for `LOCK_WAIT_S` seconds. `is_taken` knows the ids of the file, where the caller has them.
    """

    def __init__(self, path: Path, *, is_taken: Callable[[str], bool] | None = None) -> None:
        self.path = path
        if Session(path).file.header.is_old:
            migrate_in_place(path)
        self._descriptor = _open_locked(path)
        try:
            self.session = Session(path)
            self._needs_newline = not self._ends_with_newline()
        except BaseException:
            os.close(self._descriptor)
            raise
        self.leaf_id: Maybe = self.session.leaf.id if self.session.leaf else None
        self.written: list[Entry] = []
        self.size = self.session.file.size
        self._is_taken = is_taken or self._stands_in_file

    def __enter__(self) -> "Appender":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self.written:
                os.fdatasync(self._descriptor)
        except OSError as fault:
            raise os_fault(fault, self.path) from fault
        finally:
            os.close(self._descriptor)

    def _ends_with_newline(self) -> bool:
        size = self.session.file.size
        return self.session.file.read(size - 1, size) == b"\n"

    def _stands_in_file(self, candidate: str) -> bool:
        # What was written meanwhile is not in the session that was opened.
        return any(entry.id == candidate for entry in self.written) or self.session.has_id(candidate)

    def append(
        self,
        type_: str,
        fields: dict[str, Maybe],
        *,
        parent_id: Maybe = jsonl.UNDEFINED,
        timestamp: str | None = None,
    ) -> Entry:
        """Appends an entry below the leaf, or below another parent (None: as a root); it is the leaf from then on.

        Its time is now if none is given. Raises `PisessError` when the file is gone, or shorter than it was.
        """
        entry_id, moment = new_id(self._is_taken), timestamp or iso(now_ms())

        def build() -> Entry:
            parent = self.leaf_id if parent_id is jsonl.UNDEFINED else parent_id
            # A leaf without an id has no place in the tree that a parent could name.
            above = None if parent is jsonl.UNDEFINED else parent
            return Entry.from_value(build_entry(type_, fields, entry_id=entry_id, parent_id=above, timestamp=moment))

        entry = build()
        # Pi takes no lock: the leaf may be another one by now, up to the moment of writing.
        while self._catch_up():
            entry = build()
        self._write_line(entry.raw + b"\n")
        self.leaf_id = entry.id
        self.written.append(entry)
        return entry

    def _catch_up(self) -> bool:
        # Whether others have written since the file was last looked at.
        status = os.fstat(self._descriptor)
        if not status.st_nlink:
            raise PisessError(f"the file is gone, nothing was written ({self.path})")
        if status.st_size < self.size:
            raise PisessError(f"the file was cut short while it was written to ({self.path})")
        if status.st_size == self.size:
            return False
        for entry in self.session.file.entries(self.size, status.st_size):
            self.leaf_id = entry.id
        self.size = status.st_size
        self._needs_newline = self.session.file.read(self.size - 1, self.size) != b"\n"
        return True

    def _write_line(self, line: bytes) -> None:
        data = b"\n" + line if self._needs_newline else line
        try:
            count = os.write(self._descriptor, data)
            # Where it went, which is not where the file ended before if someone wrote at the same time.
            end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
            if count == len(data):
                self._needs_newline = False
                self.size = end
                return
            # The disk is full, or a limit was met. What got there is taken back, unless someone wrote behind it.
            if os.fstat(self._descriptor).st_size == end:
                os.ftruncate(self._descriptor, end - count)
        except OSError as error:
            raise os_fault(error, self.path) from error
        raise PisessError(f"the disk is full, nothing was written ({self.path})")


def _open_locked(path: Path) -> int:
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC)
        except IsADirectoryError as error:
            raise PisessError(f"not a session file, but a directory ({path})") from error
        except OSError as error:
            raise os_fault(error, path) from error
        try:
            _lock(descriptor, path)
            # Another process may have replaced the file between the two calls: then this lock is on the old one.
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise os_fault(error, path) from error
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise PisessError(
                    f"another pisess is writing to this session ({path})", hint="try again when it has ended"
                ) from None
            time.sleep(_LOCK_POLL_S)
        else:
            return


def create(path: Path, chunks: Iterable[bytes], rest: tuple[SessionFile, int] | None = None) -> None:
    """Writes a new file, private to the user. It appears whole or not at all; one that exists is never touched.

    `rest`: a file and an offset in it; what stands there follows the chunks, copied by the kernel.
    Raises `PisessError` if the name is taken or the system refuses.
    """
    with beside(path) as temporary:
        _write_all(temporary, chunks, path, rest)
        try:
            put_new(temporary, path)
        except OSError as error:
            raise os_fault(error, path) from error
    sync_directory(path.parent)


def replace(
    path: Path, chunks: Iterable[bytes], mode: int, *, unless_changed_since: os.stat_result | None = None
) -> None:
    """Puts a file in the place of another one, atomically: at every moment the name holds one of them whole.

    Raises `PisessError` when the system refuses, or when the old one is not any more what it was then.
    """
    with beside(path) as temporary:
        _write_all(temporary, chunks, path)
        try:
            temporary.chmod(mode)
            if unless_changed_since is not None:
                _check_unchanged(path, unless_changed_since)
            temporary.replace(path)
        except OSError as error:
            raise os_fault(error, path) from error
    sync_directory(path.parent)


def _check_unchanged(path: Path, before: os.stat_result) -> None:
    now = path.stat()
    if (now.st_ino, now.st_size, now.st_mtime_ns) != (before.st_ino, before.st_size, before.st_mtime_ns):
        # Pi takes no lock: what it has written since would be lost.
        raise PisessError(f"the session went on meanwhile, so it stays as it is ({path})", hint="try again")


def _write_all(
    temporary: Path, chunks: Iterable[bytes], path: Path, rest: tuple[SessionFile, int] | None = None
) -> None:
    try:
        with temporary.open("r+b") as file:
            file.writelines(chunks)
            file.flush()
            if rest is not None:
                rest[0].copy_to(file.fileno(), rest[1])
            else:
                # A copy can be made again from what it was copied from; all else is on the disk before it has a name.
                os.fsync(file.fileno())
    except OSError as error:
        raise os_fault(error, path) from error


def migrated_lines(whole: Whole) -> Iterator[tuple[bytes, Entry | None]]:
    """The lines of a file as the current version has them, each with its newline and entry; bad ones stay, without."""
    migrated = iter(whole.kept)
    bad = set(whole.bad_spans)
    for span in whole.spans:
        entry = None if span in bad else next(migrated)
        yield (whole.data[slice(*span)] if entry is None else entry.raw) + b"\n", entry


def migrate_in_place(path: Path, *, backup: Path | None = None) -> bool:
    """Rewrites a file of version 1 or 2 as version 3, atomically, with its mode; False if it is current already.

    `backup`: where the old file stays, as a second name of it.
    """
    descriptor = _open_locked(path)
    try:
        session = Session(path)
        if not session.file.header.is_old:
            return False
        # A link to the file stays one.
        path = Path(os.path.realpath(path))
        if backup is not None:
            try:
                os.link(path, backup)
            except FileExistsError as error:
                # A try that failed has left it there: the same file by another name.
                if not path.samefile(backup):
                    raise os_fault(error, backup) from error
            except OSError as error:
                raise os_fault(error, backup) from error
        lines = (line for line, _ in migrated_lines(session.whole))
        replace(path, lines, session.file.status.st_mode & 0o7777, unless_changed_since=session.file.status)
    finally:
        os.close(descriptor)
    return True
