"""Files that appear whole or not at all: written beside their place, and put there in one step (SPEC 6)."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pisess_cli.core.reader import os_fault

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
