"""Putting a file that is no session in its place: private, whole or not at all, never over anything by accident."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pisess_cli.core.atomic import PRIVATE_FILE, beside, put_new, sync
from pisess_cli.core.errors import Refused
from pisess_cli.core.reader import os_fault, read_header


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
