"""Work on many files by several processes: decoding JSON keeps a whole processor busy, and threads share one."""

import marshal
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO, NoReturn, TypeVar

_BYTES_PER_PROCESS = 16 * 1024 * 1024
MOST_PROCESSES = 8
_LENGTH_BYTES = 8
_END = bytes(_LENGTH_BYTES)
"""Stands after the results for an item: what `marshal` makes is never empty."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def process_count(total_bytes: int) -> int:
    """How many processes are worth their start for that much to read; 1: the work is done here."""
    if threading.active_count() > 1:
        return 1  # a fork takes the locks along that other threads hold
    return max(1, min(total_bytes // _BYTES_PER_PROCESS, os.cpu_count() or 1, MOST_PROCESSES))


def spread(
    work: Callable[[Item], Iterable[Result]], items: Sequence[Item], processes: int
) -> Iterator[Iterator[Result]]:
    """For each of the items, in their order, what `work` gives for it, as it comes; `marshal` has to know its type.

    Each of the inner iterators has to be used up before the next one. The processes end with the outer one. What one
    of them fails at is done again here, and raises here.
    """
    processes = min(processes, len(items))
    if processes < 2:
        yield from (iter(work(item)) for item in items)
        return
    pipes: list[BinaryIO] = []
    children: list[int] = []
    try:
        for number in range(processes):
            reader, writer = os.pipe()
            try:
                child = os.fork()
            except OSError:
                os.close(reader)
                os.close(writer)
                break  # the system gives no more: their part is done here
            if not child:
                _serve(work, items[number::processes], writer)
            os.close(writer)
            children.append(child)
            pipes.append(os.fdopen(reader, "rb"))
        for index, item in enumerate(items):
            slot = index % processes
            yield _results(pipes[slot], work, item) if slot < len(pipes) else iter(work(item))
    finally:
        for pipe in pipes:
            pipe.close()
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _serve(work: Callable[[Item], Iterable[Result]], items: Sequence[Item], writer: int) -> NoReturn:
    # It has to end without a word, and without what the parent has set up for its own end.
    try:
        with os.fdopen(writer, "wb") as pipe:
            for item in items:
                for result in work(item):
                    packed = marshal.dumps(result)  # type: ignore[arg-type] # the caller sees to that
                    pipe.write(len(packed).to_bytes(_LENGTH_BYTES) + packed)
                pipe.write(_END)
                pipe.flush()
    finally:
        os._exit(0)


def _results(pipe: BinaryIO, work: Callable[[Item], Iterable[Result]], item: Item) -> Iterator[Result]:
    received = 0
    while (head := pipe.read(_LENGTH_BYTES)) != _END:
        packed = pipe.read(int.from_bytes(head))
        if not packed or len(packed) != int.from_bytes(head):
            # The child has ended too early.
            yield from islice(work(item), received, None)
            return
        yield marshal.loads(packed)  # noqa: S302 - from our own child
        received += 1
