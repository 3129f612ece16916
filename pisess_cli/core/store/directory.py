"""Which directory sessions are in, what is in it, and what new files in it are called (SPEC 2)."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pisess_cli.core.errors import PisessError, UsageFault, os_fault
from pisess_cli.core.storage.paths import absolute_path, real_directory
from pisess_cli.core.store.settings import Origin, Settings, pi_agent_dir, pi_session_dir, project_session_dir

_SESSION_ID = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_IN_FILE_NAMES = str.maketrans(":.", "--")
_SUFFIX = ".jsonl"
Layout: TypeAlias = Literal["flat", "by-project"]


class SessionDir(NamedTuple):
    """The session directory, absolute; it need not exist. `layout` says where in it new files go."""

    path: Path
    layout: Layout
    origin: Origin


class Detour(NamedTuple):
    """Another session directory, which Pi would use in a project because of the file that is named."""

    path: Path
    settings_file: Path


def resolve_session_dir(
    option: str | None, settings: Settings, environment: Mapping[str, str], cwd: Path
) -> SessionDir:
    """The first that applies of the sources in SPEC 2; `option` is `--session-dir`. An empty text counts as none.

    A relative path is seen from `cwd`, also one in a file: so does Pi. Raises `PisessError` for what can be no path,
    and for broken settings of Pi if nothing before them decides.
    """
    for text, origin in _named_directories(option, settings, environment, cwd):
        if text:
            return SessionDir(absolute_path(text, cwd), "flat", origin)
    sessions = pi_agent_dir(environment, cwd) / "sessions"
    if environment.get("PI_CODING_AGENT_DIR"):
        return SessionDir(sessions, "by-project", Origin("environment", "PI_CODING_AGENT_DIR"))
    if not _exists(sessions):
        from platformdirs import user_data_path

        sessions = user_data_path("pisess") / "sessions"
    return SessionDir(sessions, "by-project", Origin("default"))


def _named_directories(
    option: str | None, settings: Settings, environment: Mapping[str, str], cwd: Path
) -> Iterator[tuple[str | None, Origin]]:
    yield option, Origin("option", "--session-dir")
    for variable in ("PISESS_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR"):
        yield environment.get(variable), Origin("environment", variable)
    own = settings.get("session_dir")
    if own:
        yield own.value, own.origin
    # Asked only if nothing before it decides: broken settings of Pi are no concern of those who have their own.
    of_pi = pi_session_dir(pi_agent_dir(environment, cwd) / "settings.json")
    if of_pi:
        yield of_pi.value, of_pi.origin


def _exists(directory: Path) -> bool:
    try:
        return directory.is_dir()
    except OSError:
        return False


def pi_detour(session_dir: SessionDir, environment: Mapping[str, str], cwd: Path) -> Detour | None:
    """Where Pi, started in `cwd`, looks instead because the project's own settings say so; None if it does not."""
    setting = None if environment.get("PI_CODING_AGENT_SESSION_DIR") else project_session_dir(cwd)
    try:
        path = absolute_path(setting.value, cwd) if setting else session_dir.path
    except PisessError:
        return None
    if setting is None or real_directory(str(path)) == real_directory(str(session_dir.path)):
        return None
    return Detour(path, Path(setting.origin.name))


def project_folder_name(cwd: Path) -> str:
    """The name of the folder that Pi keeps an absolute directory's sessions in (PI_DETAILS G2); several share one."""
    inner = re.sub(r"[/\\:]", "-", str(absolute_path(str(cwd), Path("/"))).removeprefix("/"))
    return f"--{inner}--"


def validate_session_id(session_id: str) -> str:
    """The id, if Pi takes it for a new session, so that it is safe in a file's name. Raises `UsageFault`."""
    if not re.fullmatch(_SESSION_ID, session_id):
        raise UsageFault(
            f"not an id for a session ({session_id})",
            hint="it has letters, digits, '.', '_' and '-', and begins and ends with a letter or a digit",
        )
    return session_id


def session_file_name(timestamp: str, session_id: str) -> str:
    """The name of a new session's file; `timestamp` is the header's. Raises `UsageFault` for an id that is none."""
    return f"{timestamp.translate(_IN_FILE_NAMES)}_{validate_session_id(session_id)}{_SUFFIX}"


def new_session_path(session_dir: SessionDir, cwd: Path, timestamp: str, session_id: str) -> Path:
    """Where the file of a new session of the absolute directory `cwd` goes; nothing is made. Raises `UsageFault`."""
    folder = session_dir.path / project_folder_name(cwd) if session_dir.layout == "by-project" else session_dir.path
    return folder / session_file_name(timestamp, session_id)


def session_files(session_dir: Path) -> list[Path]:
    """The files that may be sessions, ordered by path: `*.jsonl` in the directory and one level below.

    Links are followed, and a file that is met twice counts once. A missing directory holds none, a folder that cannot
    be read is passed over. Raises `PisessError` if the directory itself cannot be read.
    """
    return [Path(path) for path in sorted(entry.path for entry in _scan(session_dir))]


def newest_first(session_dir: Path) -> Iterator[Path]:
    """The same files, the last modified first, equal times by name: Pi looks for its recent session in this order."""
    timed: list[tuple[int, str, str]] = []
    for entry in _scan(session_dir):
        try:
            timed.append((-entry.stat().st_mtime_ns, entry.name, entry.path))
        except OSError:
            continue  # it has gone meanwhile
    timed.sort()
    return (Path(path) for _, _, path in timed)


def _scan(session_dir: Path) -> list[os.DirEntry[str]]:
    try:
        top = list(os.scandir(session_dir))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise os_fault(error, session_dir) from error
    # By real path, so that a link to a folder that is here already adds nothing.
    real_top = os.path.realpath(session_dir)
    folders = {real_top: top}
    for entry in sorted(filter(_is_folder, top), key=os.DirEntry.is_symlink):
        real = os.path.realpath(entry.path) if entry.is_symlink() else f"{real_top.rstrip('/')}/{entry.name}"
        if real not in folders:
            folders[real] = _entries(entry.path)
    files = [entry for entries in folders.values() for entry in entries if _is_session_file(entry)]
    linked: dict[str, os.DirEntry[str]] = {}
    for link in filter(os.DirEntry.is_symlink, files):
        real = os.path.realpath(link.path)
        if not (real.endswith(_SUFFIX) and str(Path(real).parent) in folders):
            linked.setdefault(real, link)
    return [entry for entry in files if not entry.is_symlink()] + list(linked.values())


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return _holds(entry.is_dir)


def _is_session_file(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_SUFFIX) and _holds(entry.is_file)


def _holds(question: Callable[[], bool]) -> bool:
    # Links in a circle, and links into places that one may not see, raise errors.
    try:
        return question()
    except OSError:
        return False
