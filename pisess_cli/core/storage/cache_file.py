"""Files of the user's cache: checked when they are read, replaced in one step, safe to delete at any time.

Whatever is wrong with one, or with the directory it should go to, costs no more than the reading that it would have
saved.
"""

import os
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from pisess_cli.core.errors import PisessError

_RACY_NS = 2_000_000_000
"""A file that changed so short before it was read may change again without a new modification time."""
_CHECKSUM_BYTES = 4
_TAIL_BYTES = 256


class Versioned(Protocol):
    """What is saved says in which version it was."""

    version: int


Content = TypeVar("Content", bound=Versioned)


class FileState(msgspec.Struct, array_like=True, frozen=True):
    """What tells that a file has not changed."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileState":
        """The state that the system tells."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def is_racy(self, now_ns: int) -> bool:
        """Whether the file is too fresh at that time to be recognised later."""
        return self.mtime_ns > now_ns - _RACY_NS

    def has_grown_to(self, state: "FileState", descriptor: int, tail: bytes) -> bool:
        """Whether the open file is this one with whole lines added; `tail` are its last bytes as `read_tail` gave them.

        Raises `OSError`.
        """
        same_file = (self.device, self.inode) == (state.device, state.inode)
        return (
            same_file and self.size < state.size and tail.endswith(b"\n") and read_tail(descriptor, self.size) == tail
        )


def read_tail(descriptor: int, size: int) -> bytes:
    """The last bytes before `size` in an open file. Raises `OSError`."""
    start = max(0, size - _TAIL_BYTES)
    return os.pread(descriptor, size - start, start)


def cache_directory(environment: Mapping[str, str]) -> Path | None:
    """Where the user's cache is, or None if `PISESS_NO_CACHE` is set to anything."""
    if environment.get("PISESS_NO_CACHE"):
        return None
    from platformdirs import user_cache_path

    return user_cache_path("pisess")


def load(path: Path, decode: Callable[[bytes], Content], version: int) -> Content | None:
    """What was saved there in that version; None if there is nothing, or it is not whole."""
    try:
        data = path.read_bytes()
        packed = data[_CHECKSUM_BYTES:]
        if zlib.crc32(packed) != int.from_bytes(data[:_CHECKSUM_BYTES]):
            return None
        content = decode(packed)
    except (OSError, msgspec.MsgspecError, ValueError):
        return None
    return content if content.version == version else None


def save(path: Path, content: bytes) -> None:
    """Puts the content there, for the user alone; where that cannot be done nothing is kept, which is no failure."""
    from pisess_cli.core.storage.new_files import beside
    from pisess_cli.core.storage.paths import private_mkdir

    with suppress(OSError, PisessError):
        private_mkdir(path.parent)
        with beside(path) as temporary:
            temporary.write_bytes(zlib.crc32(content).to_bytes(_CHECKSUM_BYTES) + content)
            temporary.replace(path)
