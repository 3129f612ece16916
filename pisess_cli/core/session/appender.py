"""Appending entries to a session file, under its lock (SPEC 6)."""

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from pisess_cli.core.errors import PisessError, os_fault
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.ids import new_id
from pisess_cli.core.format.javascript import UNDEFINED, Maybe
from pisess_cli.core.format.new_entries import build_entry
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.locks import open_locked
from pisess_cli.core.storage.new_files import replace
from pisess_cli.core.storage.whole_file import migrated_lines


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
        self._descriptor = open_locked(path)
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
        parent_id: Maybe = UNDEFINED,
        timestamp: str | None = None,
    ) -> Entry:
        """Appends an entry below the leaf, or below another parent (None: as a root); it is the leaf from then on.

        Its time is now if none is given. Raises `PisessError` when the file is gone, or shorter than it was.
        """
        entry_id, moment = new_id(self._is_taken), timestamp or iso(now_ms())

        def build() -> Entry:
            parent = self.leaf_id if parent_id is UNDEFINED else parent_id
            # A leaf without an id has no place in the tree that a parent could name.
            above = None if parent is UNDEFINED else parent
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


def migrate_in_place(path: Path, *, backup: Path | None = None) -> bool:
    """Rewrites a file of version 1 or 2 as version 3, atomically, with its mode; False if it is current already.

    `backup`: where the old file stays, as a second name of it.
    """
    descriptor = open_locked(path)
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
