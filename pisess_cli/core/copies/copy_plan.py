"""Where a changed copy of a session goes: a new session beside it, or a file of any name."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pisess_cli.core.format.new_entries import line_of
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.new_files import create
from pisess_cli.core.storage.paths import absolute_path, new_path, private_mkdir
from pisess_cli.core.store.directory import SessionDir
from pisess_cli.core.store.new_sessions import plan_session


class CopyPlan(NamedTuple):
    """Where the copy goes, and the line that is its header; None where it keeps that of its source."""

    path: Path
    header: bytes | None

    def write(self, lines: Iterable[bytes]) -> None:
        """Writes the copy, private to the user. Raises `PisessError` if the name is taken or the system refuses."""
        if self.header is not None:
            private_mkdir(self.path.parent)
        create(self.path, lines)


def plan_copy(session: Session, output: str | None, directory: SessionDir, cwd: Path) -> CopyPlan:
    """The copy as the file `output`, which may take its source's place later; `cwd` is where one is now.

    Without it the copy is a session of the same project, with a new id, that names its source as its parent. Raises
    `Refused` if the file exists.
    """
    if output is None:
        new = plan_session(directory, absolute_path(session.header.cwd or ".", cwd), parent=session.path)
        return CopyPlan(new.path, line_of(new.header))
    return CopyPlan(new_path(output, cwd, "a copy"), None)
