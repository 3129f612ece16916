"""Tokens and cost by model, tool, day and the like: of the entries of one session, or of many sessions.

All entries count, of every branch, as Pi counts them; but what sessions share through forks counts once.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec import UNSET

from pisess_cli.core.errors import PisessError
from pisess_cli.core.format.entries import Entry, Header
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.format.jsonl import is_blank
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.reports.usage_keys import Key, Question, Use
from pisess_cli.core.storage.blocks import Block, BlockReader
from pisess_cli.core.storage.session_file import SessionFile, file_size, first_header, may_be_session
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.storage.workers import process_count, spread


class Row(NamedTuple):
    """What all usage with one key comes to."""

    key: Key
    tokens: float
    cost: float


class Stats(NamedTuple):
    """The rows, the dearest first, equal ones as they were met; and what everything comes to.

    `skipped` is how many lines of the files are no JSON.
    """

    rows: list[Row]
    tokens: float
    cost: float
    skipped: int


class _Tally:
    # Adds up uses in the order in which they come: so does Pi, and costs are equal to the last digit.

    def __init__(self) -> None:
        self._rows: dict[Key, Row] = {}
        self._tokens: float = 0
        self._cost: float = 0

    def add(self, use: Use, whole_key: Key) -> None:
        # A use without keys of its own counts for `whole_key`.
        tokens, cost, keys, *_ = use
        self._tokens += tokens
        self._cost += cost
        for key, part, part_cost in _shares(tokens, cost, keys or (whole_key,)):
            row = self._rows.get(key) or Row(key, 0, 0)
            self._rows[key] = Row(key, row.tokens + part, row.cost + part_cost)

    def stats(self, skipped: int = 0) -> Stats:
        # Pi leaves out rows that used nothing, too.
        rows = [row for row in self._rows.values() if row.tokens > 0 or row.cost > 0]
        return Stats(sorted(rows, key=lambda row: -row.cost), self._tokens, self._cost, skipped)


def _shares(tokens: float, cost: float, keys: Sequence[Key]) -> Iterator[tuple[Key, float, float]]:
    if len(keys) == 1:
        yield keys[0], tokens, cost
        return
    # Whole tokens each; what cannot be divided goes to the first.
    each = tokens // len(keys)
    for place, key in enumerate(keys):
        yield key, each if place else tokens - each * (len(keys) - 1), cost / len(keys)


def entry_stats(entries: Iterable[Entry], header: Header, question: Question) -> Stats:
    """What the entries of one session come to."""
    tally = _Tally()
    for entry in entries:
        use = question.use_of(entry)
        if use is not None:
            tally.add(use, question.whole_key(header))
    return tally.stats()


class _Session(NamedTuple):
    # What was read of a session's file.
    started_ms: int | None
    whole_key: Key
    skipped: int
    uses: list[Use]


_Packed: TypeAlias = tuple[int | None, Key, int, list[Use]]
"""A session in plain values, as it comes from another process."""


def all_stats(paths: Sequence[Path], question: Question, tick: Callable[[], object] = lambda: None) -> Stats:
    """What the sessions among the files come to; an entry that several share counts once, for the oldest of them.

    An entry that a file repeats counts as often as in the file that repeats it most. `tick` is called for each file.
    What is no session, or cannot be read, is left out.
    """
    work = partial(_read_session, BlockReader(), question)
    read: list[_Session] = []
    for packed in spread(work, paths, process_count(sum(map(file_size, paths)))):
        read += (_Session(*values) for values in packed)
        tick()
    # A session is older than its forks: in this order the sums are those without the forks, to the last digit.
    read.sort(key=lambda session: (session.started_ms is None, session.started_ms))
    tally = _Tally()
    counted: dict[Use, int] = {}
    for session in read:
        met: Counter[Use] = Counter()
        for use in session.uses:
            met[use] += 1
            if met[use] > counted.get(use, 0):
                counted[use] = met[use]
                tally.add(use, session.whole_key)
    return tally.stats(sum(session.skipped for session in read))


def _read_session(reader: BlockReader, question: Question, path: Path) -> list[_Packed]:
    # The session in the file, or none.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        status = os.fstat(descriptor)
        if not may_be_session(status):
            return []
        header: Header | None = None
        skipped = 0
        uses: list[Use] = []
        for block in reader.blocks(descriptor, 0, status.st_size):
            header = header or first_header(block.copy(0, block.size), whole=True)[0]
            if header is None:
                return []
            if header.is_old:
                return _read_old_session(question, path)
            skipped += _add_uses(block, question, uses)
        return [_packed(question, header, skipped, uses)] if header else []
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _add_uses(block: Block, question: Question, uses: list[Use]) -> int:
    # Returns how many lines of the block are no JSON.
    skipped = start = 0
    with memoryview(block.buffer) as view:
        while start < block.size:
            end = block.line_end(start)
            try:
                use = question.use_in(view[start:end])
            except BadLine:
                skipped += not is_blank(block.copy(start, end))
            else:
                if use is not None:
                    uses.append(use)
            start = end + 1
    return skipped


def _read_old_session(question: Question, path: Path) -> list[_Packed]:
    # Once migrated, its entries have the ids that they have in forks of it.
    try:
        whole = Whole(SessionFile(path))
    except PisessError:
        return []
    uses = [use for entry in whole.entries if (use := question.use_of(entry))]
    return [_packed(question, whole.header, whole.skipped, uses)]


def _packed(question: Question, header: Header, skipped: int, uses: list[Use]) -> _Packed:
    return parse_ms(header.value.get("timestamp", UNSET)), question.whole_key(header), skipped, uses
