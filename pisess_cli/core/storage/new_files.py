"""Files that appear whole or not at all: written beside their place, and put there in one step (SPEC 6)."""

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from pisess_cli.core.errors import PisessError, Refused, os_fault
from pisess_cli.core.storage.session_file import SessionFile, read_header

PRIVATE_FILE = 0o600
_NO_HARD_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK)


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """The name of a new, empty file in the directory of `path`, private to the user; it is gone afterwards.

    Its name begins with a dot, so that what a kill leaves behind is no session. Raises `PisessError` when the system
    refuses.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=".pisess-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise os_fault(error, path.parent) from error
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def put_new(temporary: Path, path: Path) -> None:
    """Gives a file beside `path` that name. Raises `OSError`: `FileExistsError` where something has it."""
    try:
        # A hard link, unlike a rename, fails when the name is taken.
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # The file system has none: the name is taken first, and for a moment it is an empty file's.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, PRIVATE_FILE))
        try:
            temporary.replace(path)
        except OSError:
            path.unlink()
            raise


def sync(path: Path) -> None:
    """Sees to it that what a file holds survives a power cut. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(directory: Path) -> None:
    """The same for the names in a directory, where the file system can do it: the data is safe without."""
    with contextlib.suppress(OSError):
        sync(directory)


@contextlib.contextmanager
def new_file(path: Path, *, overwrite: bool, source: Path | None = None) -> Iterator[Path]:
    """The name of an empty file beside `path`, private to the user, which takes its place when the block ends well.

    Raises `Refused` where something stands there already, unless `overwrite`; even then for what is no regular file,
    and for a session. What is a session itself may take the place of any but its `source`. Raises `PisessError` when
    the system refuses.
    """
    _check(path, overwrite=overwrite, source=source)
    with beside(path) as temporary:
        try:
            yield temporary
            sync(temporary)
            if overwrite:
                temporary.replace(path)
            else:
                put_new(temporary, path)
        except FileExistsError as error:
            raise _taken(path) from error
        except OSError as error:
            raise os_fault(error, path) from error


@contextlib.contextmanager
def new_folder(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """The same for a folder of files. One that is overwritten keeps what has other names; no file in it is torn."""
    if os.path.lexists(path) and not overwrite:
        raise _taken(path)
    if os.path.lexists(path) and not path.is_dir():
        raise Refused(f"not a folder, so it is left as it is ({path})")
    try:
        temporary = Path(tempfile.mkdtemp(prefix=".pisess-", suffix=".tmp", dir=path.parent))
    except OSError as error:
        raise os_fault(error, path.parent) from error
    try:
        yield temporary
        files = list(temporary.iterdir())
        for file in files:
            file.chmod(PRIVATE_FILE)
            sync(file)
        if path.is_dir():
            for file in files:
                file.replace(path / file.name)
        else:
            temporary.rename(path)
    except OSError as error:
        raise os_fault(error, path) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _check(path: Path, *, overwrite: bool, source: Path | None) -> None:
    if not os.path.lexists(path):
        return
    if not overwrite:
        raise _taken(path)
    if not path.is_file():
        raise Refused(f"not a regular file, so it is left as it is ({path})")
    is_precious = source is None or os.path.realpath(path) == os.path.realpath(source)
    if is_precious and read_header(path) is not None:
        raise Refused(f"a session is not overwritten ({path})", hint="choose another name")


def _taken(path: Path) -> Refused:
    return Refused(f"the file exists ({path})", hint="-f overwrites it")


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
