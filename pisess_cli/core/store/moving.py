"""A session whose project is in another directory now: its header's `cwd`, and its place among the projects' folders.

The new file is whole, and on the disk, before the old one goes: whatever interrupts it leaves the old one, or both,
and a second try ends what the first one began.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pisess_cli.core.errors import PisessError, Refused, os_fault
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entry_fields import with_fields
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.new_files import create
from pisess_cli.core.storage.paths import private_mkdir, real_directory
from pisess_cli.core.storage.session_file import SessionFile, read_header
from pisess_cli.core.store.directory import project_folder_name, session_files

_BLOCK = 8 * 1024 * 1024


class Move(NamedTuple):
    """What moves: the file, the place it goes to (perhaps its own), and the header's `cwd` before and after."""

    source: Path
    target: Path
    old_cwd: str | None
    cwd: str

    @property
    def changes_nothing(self) -> bool:
        """Whether the session is there already."""
        return self.source == self.target and self.old_cwd == self.cwd


def plan_move(session: Session, project: Path) -> Move:
    """How the session becomes one of the project's. Raises `PisessError` unless that is a directory.

    In a folder of a by-project layout the file goes to the folder of the new project beside it, else it stays.
    """
    # Pi runs in the physical directory and looks for the sessions of that.
    cwd = Path(os.path.realpath(project))
    if not cwd.is_dir():
        raise PisessError(f"no such directory ({project})")
    if session.path.is_symlink():
        raise Refused(
            f"a link to a session, not its file ({session.path})", hint=f"name {os.path.realpath(session.path)}"
        )
    folder = Path(os.path.realpath(session.path.parent))
    source = folder / session.path.name
    by_project = len(folder.name) >= 4 and folder.name.startswith("--") and folder.name.endswith("--")
    target = folder.parent / project_folder_name(cwd) / source.name if by_project else source
    return Move(source, target, session.header.cwd, str(cwd))


def move_session(move: Move) -> None:
    """Moves it; mode and times stay. Raises `PisessError` when the new name is taken or the system refuses.

    Raises `Refused` when Pi wrote to the session meanwhile. The session is where it was then.
    """
    try:
        with Appender(move.source) as appender:
            if move.source == move.target:
                _rewrite(move, appender.session)
            else:
                _relocate(move, appender.session)
    except OSError as error:
        raise os_fault(error, error.filename or move.source) from error


def _rewrite(move: Move, session: Session) -> None:
    new = move.source.with_name(f".{move.source.name}.moving")
    # What an interrupted try left is of no use: only this process has the lock.
    new.unlink(missing_ok=True)
    create(new, [_start(session, move.cwd)], (session.file, session.file.header_end))
    with _undone_on_failure(new, move.source, session.file):
        _settle(new, move.source, session.file)
        new.replace(move.source)


def _relocate(move: Move, session: Session) -> None:
    new, file = move.target, session.file
    start = _start(session, move.cwd)
    private_mkdir(new.parent)
    if _begins_with(new, start, file):
        _settle(new, move.source, file)
        move.source.unlink()
        return
    create(new, [start], (file, file.header_end))
    with _undone_on_failure(new, move.source, file):
        _settle(new, move.source, file)
        move.source.unlink()


@contextmanager
def _undone_on_failure(new: Path, source: Path, file: SessionFile) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # Never the only one of the two.
        with suppress(OSError):
            if os.path.samestat(source.stat(), file.status):
                new.unlink(missing_ok=True)
        raise


def _start(session: Session, cwd: str) -> bytes:
    # The file up to the end of the header's line, with the new `cwd`; what stands before the header stays too.
    data = session.file.read(0, session.file.header_end)
    header = session.file.header.entry.raw
    at = data.rindex(header)
    return data[:at] + with_fields(header, {"cwd": jsonl.stringify(cwd).encode()}) + data[at + len(header) :]


def _begins_with(path: Path, start: bytes, file: SessionFile) -> bool:
    # Whether an interrupted try has made the new file already; somebody may have gone on in it since.
    try:
        other = SessionFile(path)
    except PisessError:
        return False
    shift = len(start) - file.header_end
    if other.size < file.size + shift or other.read(0, len(start)) != start:
        return False
    return all(other.read(begin + shift, end + shift) == file.read(begin, end) for begin, end in _blocks(file))


def _blocks(file: SessionFile) -> Iterator[tuple[int, int]]:
    for begin in range(file.header_end, file.size, _BLOCK):
        yield begin, min(begin + _BLOCK, file.size)


def _settle(new: Path, source: Path, file: SessionFile) -> None:
    # On the disk before the old file goes; as old as that, so that the project's most recent session stays the same.
    descriptor = os.open(new, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fchmod(descriptor, file.status.st_mode & 0o7777)
        os.utime(descriptor, ns=(file.status.st_atime_ns, file.status.st_mtime_ns))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    # Pi takes no lock: a line that it has added since would be lost.
    if source.stat().st_size != file.size:
        raise Refused(f"the session went on while it was moved, so it stays ({source})", hint="end Pi, then try again")


def named_as_parent(session_dir: Path, parent: Path) -> list[Path]:
    """The files in the session directory whose header names that file as the session's parent, ordered by path."""
    wanted = real_directory(str(parent))
    found: list[Path] = []
    for path in session_files(session_dir):
        header = read_header(path)
        named = header.text("parentSession") if header else None
        if named and real_directory(named) == wanted:
            found.append(path)
    return found
