"""From what names a session, or from nothing, to its file (SPEC 2 and 8)."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from pisess_cli.core.errors import Ambiguous, NotFound
from pisess_cli.core.storage.paths import absolute_path, real_directory
from pisess_cli.core.storage.session_file import read_header
from pisess_cli.core.store.directory import newest_first, session_files

_CANDIDATES_SHOWN = 10
_NAMES_COMPARED = 2000
Names: TypeAlias = Callable[[], Iterable[tuple[Path, str]]]
"""Gives the file and the name of every session that has one."""


def default_session(session_dir: Path, cwd: Path, environment: Mapping[str, str]) -> Path:
    """The session that a command acts on when none is named (SPEC 2).

    `$PI_SESSION_FILE`, else the most recent session of `cwd`, else of its nearest parent directory that has one.
    Raises `NotFound`.
    """
    of_pi = environment.get("PI_SESSION_FILE")
    if of_pi:
        path = absolute_path(of_pi, cwd)
        if not _exists(path):
            raise NotFound(
                f"no such session file ({path})", hint="PI_SESSION_FILE names it: unset that, or name a session with -s"
            )
        return path
    found = recent_sessions(session_dir, cwd, 1)
    if not found:
        raise NotFound(
            f"no session of this directory or of one above it ({cwd})",
            hint=f"pisess find lists the sessions of all directories in {session_dir}, -s names one",
        )
    return found[0]


def recent_sessions(session_dir: Path, cwd: Path, count: int) -> list[Path]:
    """The `count` most recent sessions of `cwd`, or of its nearest parent that has any, the newest first.

    Recent is what was modified last, as for Pi's `--continue` (PI_SEMANTICS H). A session is its header's `cwd`'s,
    whatever folder the file is in; directories are the same if they are when links are resolved.
    """
    here = real_directory(str(cwd)) or str(cwd)
    found: dict[str, list[Path]] = {str(directory): [] for directory in (Path(here), *Path(here).parents)}
    real = cache(real_directory)
    for path in newest_first(session_dir):
        header = read_header(path)
        directory = real(header.cwd) if header and header.cwd else None
        if directory in found and len(found[directory]) < count:
            found[directory].append(path)
            if len(found[here]) == count:
                break
    return next((paths for paths in found.values() if paths), [])


def find_session(text: str, session_dir: Path, cwd: Path, names: Names) -> Path:
    """The file of the session that `-s` names: a path, `@N`, an id, the start of one id only, or a session's name.

    `@1` is the most recent session of the working directory (or of its nearest parent that has any, or of all
    directories if none has), `@2` the one before. `names` is called only if no id fits. A path may name a file that
    is no session: that is for the reader to say. Raises `NotFound` or `Ambiguous`.
    """
    path = absolute_path(text, cwd)
    is_path = "/" in text or text.endswith(".jsonl")
    if _exists(path) if is_path else text and _is_file(path):
        return path
    nth = re.fullmatch(r"@([1-9]\d{0,8})", text)
    if nth:
        return _nth_recent(int(nth[1]), session_dir, cwd)
    ids = {} if is_path or not text else _ids(text, session_dir)
    same = [file for file, id_ in ids.items() if id_ == text]
    fitting = same or [file for file, id_ in ids.items() if id_.startswith(text)]
    if len(fitting) == 1:
        return fitting[0]
    called = dict(names())
    if same:
        raise Ambiguous(f"several files have the session {text}:{_list(same, {})}", hint="name the file")
    named = [file for file, name in called.items() if name == text]
    if len(named) == 1:
        return named[0]
    if named:
        raise Ambiguous(f"several sessions have the name {text}:{_list(named, {})}", hint="name one by its id")
    if fitting:
        raise Ambiguous(f"{text} is the start of several ids:{_list(fitting, called)}", hint="type more of it")
    what = "no such file, and no session has that name" if is_path else "no session has that id or name"
    raise NotFound(f"{what} ({text})", hint=_did_you_mean(text, called.values(), ids.values()))


def _ids(text: str, session_dir: Path) -> dict[Path, str]:
    # The sessions' ids; only those of the files that have the text as the id in their names if it is theirs.
    files = session_files(session_dir)
    for candidates in ([file for file in files if file.name.endswith(f"_{text}.jsonl")], files):
        ids = {file: header.id for file in candidates if (header := read_header(file))}
        if text in ids.values():
            break
    return ids


def _nth_recent(number: int, session_dir: Path, cwd: Path) -> Path:
    found = recent_sessions(session_dir, cwd, number)
    if not found:
        found = list(islice(filter(read_header, newest_first(session_dir)), number))
    if len(found) < number:
        raise NotFound(
            f"there are not that many sessions (@{number})",
            hint=f"the oldest one here is @{len(found)}" if found else f"there are none in {session_dir}",
        )
    return found[number - 1]


def _list(files: list[Path], called: Mapping[Path, str]) -> str:
    # A line each: the id, and the name where there is one, else the file.
    lines = []
    for file in files[:_CANDIDATES_SHOWN]:
        header = read_header(file)
        name = " ".join(called.get(file, "").split())[:60]
        lines.append(f"\n  {header.id if header else '?'}  {name or file}")
    more = len(files) - len(lines)
    return "".join([*lines, f"\n  and {more} more" if more else ""])


def _did_you_mean(text: str, names: Iterable[str], ids: Iterable[str]) -> str:
    from difflib import get_close_matches

    known = [*islice(names, _NAMES_COMPARED), *islice(ids, _NAMES_COMPARED)]
    close = get_close_matches(text, known, n=1)
    return f"did you mean {' '.join(close[0].split())}?" if close else "pisess find lists the sessions"


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except PermissionError:
        return True  # for the reader to report
    except OSError:
        return False
    return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
