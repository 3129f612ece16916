"""Paths as Pi understands them, and directories that are private to the user."""

import os
import re
from pathlib import Path

from pisess_cli.core.errors import PisessError, Refused, os_fault

_PRIVATE = 0o700


def expand_path(text: str) -> str:
    """The text with `~` and `~/…` as the home directory and a `file://` URL as its path; all else as it stands.

    `~name` is no home directory to Pi (PI_DETAILS G2). Raises `PisessError` for what can be no path of this machine.
    """
    if text == "~" or text.startswith("~/"):
        return os.path.expanduser("~") + text[1:]  # noqa: PTH111 - Path would drop what Pi keeps
    path = _url_path(text) if text.startswith("file://") else text
    if not _is_possible(path):
        raise PisessError(f"not a path ({text})")
    return path


def _is_possible(path: str) -> bool:
    # Text from JSON and TOML may hold NUL and lone surrogates; no file's name does.
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _url_path(url: str) -> str:
    # What Node's fileURLToPath refuses is refused: other hosts, an encoded slash, broken escapes.
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(url.replace("\\", "/"))
        path = unquote(parts.path, errors="strict")
    except ValueError:
        raise PisessError(f"not a file URL ({url})") from None
    if parts.netloc.lower() not in ("", "localhost"):
        raise PisessError(f"not a file of this machine ({url})", hint="write it as file:///path")
    if re.search("%(?![0-9A-Fa-f]{2})|%2[Ff]", parts.path):
        raise PisessError(f"not a file URL ({url})")
    return path or "/"


def absolute_path(text: str, base: Path) -> Path:
    """The path that the text names, seen from `base`: `.`, `..` and double slashes are gone, symbolic links are not.

    Raises what `expand_path` raises.
    """
    joined = os.path.normpath(base / expand_path(text))
    # POSIX lets two leading slashes stand; Node does not.
    return Path(joined[1:] if joined.startswith("//") else joined)


def real_directory(text: str) -> str | None:
    """The directory that an absolute path names, symbolic links resolved: equal for what is one directory.

    It need not exist. None for a relative path, which is another directory in every place, and for an impossible one.
    """
    if not text.startswith("/") or not _is_possible(text):
        return None
    try:
        return os.path.realpath(text)
    except OSError:
        return os.path.normpath(text)


def new_path(name: str, cwd: Path, what: str) -> Path:
    """The absolute path of a file that is to be new. Raises `Refused` if something has that name.

    `what` it is to be, for the hint.
    """
    path = absolute_path(name, cwd)
    if os.path.lexists(path):
        raise Refused(f"the file exists already ({path})", hint=f"{what} is always a new file")
    return path


def private_mkdir(directory: Path) -> None:
    """Makes the directory and those above it that are missing, for the user alone; those that exist stay as they are.

    Raises `PisessError` when the system refuses or something else has the name.
    """
    try:
        for path in (*reversed(directory.parents), directory):
            if not path.is_dir():
                _mkdir(path)
    except OSError as error:
        raise os_fault(error, directory) from error


def _mkdir(path: Path) -> None:
    try:
        path.mkdir(_PRIVATE)
    except FileExistsError:
        # Another process may have been quicker.
        if not path.is_dir():
            raise PisessError(f"not a directory ({path})") from None
