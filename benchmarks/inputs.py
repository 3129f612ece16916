"""The sessions that benchmarks run on, made when they are first asked for."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import sessions


class Size(NamedTuple):
    """How large the inputs are: bytes of the long session, number and bytes of the many, entries of the chain."""

    long: int
    sessions: int
    sessions_bytes: int
    chain: int


FULL = Size(long=100_000_000, sessions=1000, sessions_bytes=259_000_000, chain=200_000)
QUICK = Size(long=60_000_000, sessions=600, sessions_bytes=155_000_000, chain=40_000)
SHORT_BYTES = 1_000_000
EXPORTED_ENTRIES = 10_000


class Inputs:
    """Sessions below a folder. What is there already is used as it is, so a folder that is kept saves their making."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.size = size
        self.folder = folder / f"{size.long // 1_000_000}MB"
        self.home = self._made_folder("home")
        self.cache = self.folder / "cache"

    @property
    def long(self) -> Path:
        """The session of many MB."""
        return self.session("long", lambda path: sessions.long_session(path, self.size.long))

    @property
    def short(self) -> Path:
        """The session of one MB."""
        return self.session("short", lambda path: sessions.long_session(path, SHORT_BYTES))

    def chain(self, entries: int) -> Path:
        """A session of so many entries in one chain."""
        return self.session(f"chain-{entries}", lambda path: sessions.chain(path, entries))

    def forked(self, entries: int, branches: int, labels: int = 0) -> Path:
        """A session of so many entries in so many branches, with so many labels."""
        name = f"forked-{entries}-{branches}-{labels}"
        return self.session(name, lambda path: sessions.forked(path, entries, branches, labels))

    def many(self, count: int | None = None, size: int | None = None) -> Path:
        """A folder named `sessions`, as Pi has it, of so many sessions; as many as the size says if none is given."""
        count = count or self.size.sessions
        size = size or self.size.sessions_bytes * count // self.size.sessions
        folder = self.folder / f"many-{count}-{size // 1_000_000}MB" / "sessions"
        if not folder.exists():
            unfinished = folder.with_name("unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            sessions.many_sessions(unfinished, count, size)
            unfinished.rename(folder)
        return folder

    def many_and_long(self) -> Path:
        """The many sessions with the long one among them."""
        folder = self.folder / "with-long" / "sessions"
        if not folder.exists():
            unfinished = folder.with_name("unfinished")
            shutil.copytree(self.many(), unfinished, copy_function=os.link, dirs_exist_ok=True)
            os.link(self.long, next(unfinished.iterdir()) / "long.jsonl")
            unfinished.rename(folder)
        return folder

    def session(self, name: str, make: Callable[[Path], object]) -> Path:
        """A session file of that name; `make` writes it if it is not there."""
        path = self.folder / f"{name}.jsonl"
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            make(unfinished)
            unfinished.rename(path)
        return path

    def copy(self, path: Path) -> tuple[Path, Callable[[], None]]:
        """A copy of a session to be appended to, and what takes back all that was appended."""
        copy = path.with_stem(f"{path.stem}-copy")
        if not copy.exists():
            shutil.copyfile(path, copy)
        status = path.stat()

        def restore() -> None:
            os.truncate(copy, status.st_size)
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))

        return copy, restore

    def empty(self, name: str) -> tuple[Path, Callable[[], None]]:
        """A folder for output, and what empties it."""
        folder = self._made_folder(name)

        def clear() -> None:
            shutil.rmtree(folder)
            folder.mkdir()

        return folder, clear

    def forget(self) -> None:
        """Removes what pisess has remembered of sessions."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def _made_folder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder
