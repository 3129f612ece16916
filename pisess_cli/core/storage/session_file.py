"""An open session file, its header, and its bytes in blocks; reading never writes (SPEC 3)."""

import errno
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pisess_cli.core.errors import NotASession, PisessError, os_fault
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry, Header, is_header, read_entry
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.storage.blocks import LONGEST_LINE, Block, BlockReader

HEADER_SCAN_BYTES = 1024 * 1024
"""As far as one looks for a header to find out whether a file is a session at all (PI_SEMANTICS A)."""
LARGEST_BYTES = 4 * 1024**3
"""No session comes near that size. What has more is a file with a hole, or none of ours, and would take all memory."""
_LINES_BUFFER = 256 * 1024
SCAN_BLOCK = 1024 * 1024
_COPY_WINDOW = 4 * 1024 * 1024


def may_be_session(status: os.stat_result) -> bool:
    """Whether a file is a regular one of a size that a session can have."""
    return stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_BYTES


class SessionFile:
    """An open session file, as it was when it was opened: what is added later is not seen.

    Raises `NotASession` for what is not a regular file or does not begin with a header, `PisessError` for what the
    system refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Without O_NONBLOCK, opening a FIFO would wait for its writer.
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise (
                os_fault(error, path) if isinstance(error, OSError) else PisessError(f"no such file ({path})")
            ) from error
        try:
            self.status = os.fstat(self._descriptor)
            if not stat.S_ISREG(self.status.st_mode):
                kind = "a directory" if stat.S_ISDIR(self.status.st_mode) else "not a regular file"
                raise NotASession(f"not a session file, but {kind} ({path})")
            if not may_be_session(self.status):
                raise NotASession(f"too large for a session file ({path})")
            self.size = self.status.st_size
            self.header = self._read_header()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Gives the descriptor back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            self.close()

    @property
    def descriptor(self) -> int:
        """What the system knows the open file by."""
        return self._descriptor

    def read(self, start: int, end: int) -> bytes:
        """The bytes of [start, end) of the file. Raises `PisessError` if the file has become shorter."""
        parts: list[bytes] = []
        position = start
        try:
            while position < end:
                part = os.pread(self._descriptor, min(end - position, 1 << 30), position)
                if not part:
                    raise self._cut_short()
                parts.append(part)
                position += len(part)
        except OSError as error:
            raise os_fault(error, self.path) from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def entries(self, start: int, end: int) -> Iterator[Entry]:
        """The entries that stand in [start, end) of the file, where whole lines have to stand; bad ones are skipped."""
        data = self.read(start, end)
        for line_start, line_end in jsonl.line_spans(data):
            try:
                entry = read_entry(data, line_start, line_end)
            except BadLine:
                continue
            if entry is not None and entry.type != "session":
                yield entry

    def blocks(self, start: int = 0) -> Iterator[tuple[int, Block]]:
        """The file from there on in blocks of whole lines, each with its place; it lasts until the next one.

        Raises `PisessError` if the file has become shorter, or a line is longer than any can be.
        """
        place = start
        try:
            for block in BlockReader().blocks(self._descriptor, start, self.size):
                yield place, block
                place += block.size
        except OSError as error:
            raise os_fault(error, self.path) from error
        if place < self.size:
            raise self._cut_short()

    def lines(self) -> io.BufferedReader:
        """The lines of the file, forwards, each with its newline; iterating raises `OSError`."""
        return io.BufferedReader(_Bytes(self._descriptor, self.size), _LINES_BUFFER)

    def lines_before(self, end: int, size: int) -> tuple[bytes, int, int]:
        """Whole lines that end there, about so many bytes: where they begin in the bytes, and in the file.

        Raises `PisessError` if the file has become shorter, or a line is longer than any can be.
        """
        while True:
            start = max(0, end - size)
            data = self.read(start, end)
            first = data.find(b"\n", 0, len(data) - 1) + 1 if start else 0
            if first or not start:
                return data, first, start + first
            size *= 2  # a line longer than the block
            if size > LONGEST_LINE:
                raise PisessError(f"a line is too long to be read ({self.path})")

    def copy_to(self, descriptor: int, start: int) -> None:
        """Copies [start, end) to another open file, at its position.

        Raises `OSError` when that cannot be written, `PisessError` if this one has become shorter.
        """
        position = start
        while position < self.size:
            position += self._copy_window(descriptor, position)

    def _copy_window(self, descriptor: int, position: int) -> int:
        # The kernel takes the bytes from a map of the file, which nobody else looks at: what is cut off meanwhile is an
        # error, and no SIGBUS. The header's length moves all that follows, so that whole pages or extents cannot be
        # shared; copy_file_range takes longer then.
        import mmap

        offset = position - position % mmap.ALLOCATIONGRANULARITY
        length = min(self.size - offset, _COPY_WINDOW)
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        try:
            window = mmap.mmap(self._descriptor, length, flags, mmap.PROT_READ, offset=offset)
        except OSError:
            # Not every file system has maps.
            return os.write(descriptor, self.read(position, min(self.size, position + SCAN_BLOCK)))
        except ValueError as error:
            raise self._cut_short() from error
        try:
            with window, memoryview(window) as view, view[position - offset :] as rest:
                return os.write(descriptor, rest)
        except OSError as error:
            if error.errno == errno.EFAULT:
                raise self._cut_short() from error
            raise

    def _cut_short(self) -> PisessError:
        return PisessError(f"the file was cut short while it was read ({self.path})")

    def contains(self, needle: bytes) -> bool:
        """Whether the bytes stand anywhere in the file, without holding it in memory."""
        buffer = bytearray(min(self.size, SCAN_BLOCK))
        view = memoryview(buffer)
        position = 0
        while position + len(needle) <= self.size:
            count = os.preadv(self._descriptor, [view], position)
            if buffer.find(needle, 0, count) >= 0:
                return True
            if count < len(needle):
                break
            position += count - len(needle) + 1
        return False

    def _read_header(self) -> Header:
        if not self.size:
            raise NotASession(f"the file is empty, not a session ({self.path})")
        data = self.read(0, min(self.size, 4096))
        while True:
            whole = len(data) == self.size
            for start, end in jsonl.line_spans(data):
                if end == len(data) and not whole:
                    break
                try:
                    entry = read_entry(data, start, end)
                except BadLine:
                    continue
                if entry is None:
                    continue
                if not is_header(entry):
                    raise NotASession(f"not a session: the first entry is no session header ({self.path})")
                self.header_end = min(end + 1, self.size)
                return Header(entry)
            if whole or 16 * len(data) > LONGEST_LINE:
                raise NotASession(f"not a session: no line holds a session header ({self.path})")
            data = self.read(0, min(self.size, len(data) * 16))


class _Bytes(io.RawIOBase):
    # The bytes that an open file had when it was opened, whatever else reads from it meanwhile.
    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override] # 3.12 has a type for buffers
        part = memoryview(buffer)[: self._size - self._position]
        count = os.preadv(self._descriptor, [part], self._position)
        self._position += count
        return count


def file_size(path: Path) -> int:
    """How many bytes a file has; 0 for what there is not."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def read_header(path: Path) -> Header | None:
    """The header of a file, or None for whatever is not a session or cannot be read; a bounded part is looked at."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        if not may_be_session(os.fstat(descriptor)):
            return None
        data = os.read(descriptor, 4096)
        header, done = first_header(data, whole=len(data) < 4096)
        if done:
            return header
        data += os.read(descriptor, HEADER_SCAN_BYTES - len(data))
        return first_header(data, whole=len(data) < HEADER_SCAN_BYTES)[0]
    except OSError:
        return None
    finally:
        os.close(descriptor)


def first_header(data: bytes, *, whole: bool) -> tuple[Header | None, bool]:
    """The header at the start of `data`, and whether more bytes would change nothing; `whole`: the file ends there."""
    for start, end in jsonl.line_spans(data):
        if end == len(data) and not whole:
            return None, False
        try:
            entry = read_entry(data, start, end)
        except BadLine:
            continue
        if entry is not None:
            return (Header(entry) if is_header(entry) else None), True
    return None, whole
