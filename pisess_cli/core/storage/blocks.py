"""Files read forwards in blocks of whole lines: in the memory of one block, however large the file is."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LONGEST_LINE = 512 * 1024 * 1024
"""JavaScript has no longer texts, so that Pi cannot read a longer line; a hole in a file looks like one."""
_BLOCK = 1024 * 1024


class Block(NamedTuple):
    """Whole lines: the first `size` bytes of the buffer.

    They last until the next block is asked for. Views of the buffer must be gone by then, for it may have to grow.
    """

    buffer: bytearray
    size: int

    def line_end(self, start: int) -> int:
        """Where the line ends that begins at or holds `start`."""
        end = self.buffer.find(b"\n", start, self.size)
        return self.size if end < 0 else end

    def line_start(self, position: int) -> int:
        """Where the line begins that holds `position`."""
        return self.buffer.rfind(b"\n", 0, position) + 1

    def lines(self) -> Iterator[tuple[int, int]]:
        """Where all lines begin and end."""
        start = 0
        while start < self.size:
            end = self.line_end(start)
            yield start, end
            start = end + 1

    def copy(self, start: int, end: int) -> bytes:
        """Bytes that last."""
        with memoryview(self.buffer) as view:
            return bytes(view[start:end])


class BlockReader:
    """Reads one file after the other into the same buffer: fresh memory for each would cost more than the reading."""

    def __init__(self) -> None:
        self._buffer = bytearray(_BLOCK)

    def file(self, path: Path) -> Iterator[Block]:
        """The bytes that a file has when it is opened, as `blocks` gives them. Raises `OSError`."""
        # Without O_NONBLOCK, opening a FIFO would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            yield from self.blocks(descriptor, 0, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)

    def blocks(self, descriptor: int, start: int, end: int) -> Iterator[Block]:
        """The bytes of [start, end) of an open file; only the last block may end without a newline.

        What a file has lost since somebody asked for its size does not come. Raises `OSError`.
        """
        kept = 0
        position = start
        while position < end:
            if kept > LONGEST_LINE:
                raise OSError(errno.EFBIG, "a line is too long to be read")
            if kept == len(self._buffer):
                self._buffer += bytes(min(kept // 2 + 1, end - position))  # for a line that is longer than the buffer
            with memoryview(self._buffer) as view:
                count = os.preadv(descriptor, [view[kept : kept + end - position]], position)
            if not count:
                break
            position += count
            filled = kept + count
            size = self._buffer.rfind(b"\n", kept, filled) + 1
            if size:
                yield Block(self._buffer, size)
                self._buffer[: filled - size] = self._buffer[size:filled]
            kept = filled - size
        if kept:
            yield Block(self._buffer, kept)
