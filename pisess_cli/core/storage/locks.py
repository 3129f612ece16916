"""The lock that a writer of a session file holds (SPEC 6)."""

import fcntl
import os
import time
from pathlib import Path

from pisess_cli.core.errors import PisessError, os_fault

LOCK_WAIT_S = 10.0
# The lock goes to whoever asks first: among processes that write all the time one has to ask often.
_LOCK_POLL_S = 0.002


def open_locked(path: Path) -> int:
    """The descriptor of a session file, open for appending, with the lock on it; closing it gives the lock back.

    Raises `PisessError` when the system refuses, or when another pisess holds the lock for `LOCK_WAIT_S` seconds.
    """
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
