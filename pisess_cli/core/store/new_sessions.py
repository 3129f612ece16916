"""Making session files: from the first entries, from a whole session, from one path of it."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pisess_cli.core.errors import NotFound, PisessError, Refused
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.ids import uuid7
from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.format.new_entries import build_header
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.new_files import create
from pisess_cli.core.storage.paths import private_mkdir
from pisess_cli.core.store.directory import SessionDir, new_session_path, validate_session_id
from pisess_cli.core.store.forks import branched_lines, copied_lines, has_conversation


class NewSession(NamedTuple):
    """A session that has no file yet: where that goes, and its header."""

    path: Path
    header: JsonObject

    @property
    def id(self) -> str:
        """The session's id."""
        return str(self.header["id"])


def plan_session(
    directory: SessionDir, cwd: Path, *, session_id: str | None = None, parent: Path | None = None
) -> NewSession:
    """A new session of the directory `cwd`, with a new id or the given one.

    Raises `UsageFault` for a bad id, `PisessError` for a directory that cannot be: it may come from a session file.
    """
    chosen = uuid7() if session_id is None else validate_session_id(session_id)
    timestamp = iso(now_ms())
    # Pi runs in the physical directory and looks for the sessions of that.
    try:
        real = os.path.realpath(cwd)
    except (OSError, ValueError):
        raise PisessError(f"not a directory that can be ({cwd})", hint="--to names another one") from None
    header = build_header(chosen, timestamp, real, None if parent is None else os.path.realpath(parent))
    return NewSession(new_session_path(directory, Path(real), timestamp, chosen), header)


def write_fork(new: NewSession, source: Session) -> None:
    """Writes a copy of a whole session, all branches."""
    private_mkdir(new.path.parent)
    create(new.path, *copied_lines(source, new.header))


def path_to_fork(source: Session, leaf: Entry | None) -> list[Entry]:
    """The path to an entry, root side first. Raises `NotFound` or `Refused` where nobody has said anything on it."""
    path = source.tree.path(leaf.id) if leaf is not None else []
    if not path:
        raise NotFound("no entry stands there, so there is nothing to fork")
    if not has_conversation(path):
        raise Refused("the path holds no user or assistant message, so there is nothing to fork")
    return path


def write_branched(new: NewSession, source: Session, path: Sequence[Entry]) -> None:
    """Writes a path of a session as a session."""
    private_mkdir(new.path.parent)
    create(new.path, branched_lines(source.tree, path, new.header))


def write_new(new: NewSession, lines: Iterable[bytes]) -> None:
    """Writes a session from its lines, the header first."""
    private_mkdir(new.path.parent)
    create(new.path, lines)
