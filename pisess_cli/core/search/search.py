"""Text and entries over many session files."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from pisess_cli.core.errors import NotASession
from pisess_cli.core.format.entries import Entry, Header, Key, map_key, read_entry, read_labels
from pisess_cli.core.format.entry_text import searchable_texts, subject
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.search.hits import Hit, described
from pisess_cli.core.search.query import Query
from pisess_cli.core.search.ripgrep import files_that_pass
from pisess_cli.core.search.sieve import Sieve, make_sieve
from pisess_cli.core.storage.blocks import Block, BlockReader
from pisess_cli.core.storage.file_end import Tail
from pisess_cli.core.storage.session_file import SessionFile, may_be_session, read_header
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.storage.workers import process_count, spread
from pisess_cli.core.tree.tree import Tree, climb

_BATCH_FILES = 1000
_BATCH_BYTES = 512 * 1024 * 1024
_WORTH_RIPGREP_BYTES = 4 * 1024 * 1024
_Row: TypeAlias = tuple[str, str | None, str | None, str | None, str | None, str, bool | None]
"""A hit without its path, in plain values."""


def search(
    paths: Iterable[Path],
    query: Query,
    *,
    first_only: bool = False,
    use_ripgrep: bool = True,
    tick: Callable[[], object] | None = None,
) -> Iterator[Hit]:
    """The hits as they are found: the file that was modified last comes first, hits of one file in the file's order.

    `first_only`: one hit a file is enough. `tick` is called for each file that is done. What is no session, or cannot
    be read, has no hits. Raises `PisessError` when the pattern takes too long.
    """
    work = _FileSearch(query, first_only=first_only)
    sieves = [sieve for sieve in (query.line_sieve, query.file_sieve, query.label_sieve) if sieve]
    for batch in _batches(paths):
        chosen = [path for path, _ in batch]
        sizes = dict(batch)
        for sieve in sieves if use_ripgrep else ():
            if sum(sizes[path] for path in chosen) >= _WORTH_RIPGREP_BYTES:
                passed = files_that_pass(chosen, sieve)
                chosen = chosen if passed is None else passed
        processes = process_count(sum(sizes[path] for path in chosen))
        for path, portions in zip(chosen, spread(work, chosen, processes), strict=True):
            for rows in portions:
                yield from (Hit(path, *row) for row in rows)
            if tick:
                tick()
        if tick:
            for _ in range(len(batch) - len(chosen)):
                tick()


def _batches(paths: Iterable[Path]) -> Iterator[list[tuple[Path, int]]]:
    # The files with their sizes, newest first, in portions, so that hits come before all is read.
    timed: list[tuple[int, Path, int]] = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        if may_be_session(status):
            timed.append((-status.st_mtime_ns, path, status.st_size))
    batch: list[tuple[Path, int]] = []
    total = 0
    for _, path, size in sorted(timed):
        if batch and (len(batch) == _BATCH_FILES or total + size > _BATCH_BYTES):
            yield batch
            batch, total = [], 0
        batch.append((path, size))
        total += size
    if batch:
        yield batch


class _FileSearch:
    """Finds the hits in one file after the other."""

    def __init__(self, query: Query, *, first_only: bool) -> None:
        self._query = query
        self._first_only = first_only
        self._reader = BlockReader()

    def __call__(self, path: Path) -> Iterator[list[_Row]]:
        """The hits in a file, in portions; none if it is no session or cannot be read."""
        header = read_header(path)
        if header is None:
            return
        try:
            yield from self._portions(_Searched(path, header, self._reader))
        except (OSError, NotASession):
            return

    def _portions(self, file: "_Searched") -> Iterator[list[_Row]]:
        query = self._query
        labelled = None if query.label is None else file.labelled(query.label)
        if labelled == set():
            return
        if query.file and query.pattern and not file.concerns_file(query):
            return
        for entries in file.portions(query.line_sieve):
            rows: list[_Row] = []
            with query.pattern.time_limit() if query.pattern else nullcontext():
                for entry in entries:
                    rows += self._entry_rows(file, entry, labelled)
                    if rows and self._first_only:
                        break
            if rows and self._first_only:
                yield rows[:1]
                return
            if rows:
                yield rows

    def _entry_rows(self, file: "_Searched", entry: Entry, labelled: set[Key] | None) -> list[_Row]:
        query = self._query
        if not query.entries(entry):
            return []
        value = entry.value
        if not query.wants(value):
            return []
        if query.pattern:
            lines = [line for text in searchable_texts(value) for line in query.pattern.matching_lines(text)]
        elif (labelled is None or map_key(entry.id) in labelled) and (
            not query.file or query.concerns_file(value, file.cwd)
        ):
            lines = [subject(entry)]
        else:
            lines = []
        if not lines:
            return []
        is_current = map_key(entry.id) in file.current_branch if query.branch or query.tell_branch else None
        if query.branch and is_current != (query.branch == "current"):
            return []
        return [(file.session_id, *described(entry), line, is_current) for line in lines]


class _Searched:
    """A session file as a search reads it: forwards, in portions. Its methods raise `OSError` and `NotASession`."""

    def __init__(self, path: Path, header: Header, reader: BlockReader) -> None:
        self._path = path
        self._is_old = header.is_old
        self._reader = reader
        self.session_id = header.id
        self.cwd = header.cwd or ""

    def portions(self, sieve: Sieve | None) -> Iterator[Iterator[Entry]]:
        """The entries whose lines pass the sieve, or more; each portion has to be used up before the next one."""
        for block in self._reader.file(self._path):
            lines = sieve.lines(block) if sieve else block.lines()
            if not self._is_old:
                yield _entries(block, lines)
            elif any(True for _ in lines):
                # The entries get their ids from all that stands before them.
                yield iter(Whole(SessionFile(self._path)).entries)
                return

    def labelled(self, label: str) -> set[Key]:
        """The keys of the entries that have the label."""
        entries = chain.from_iterable(self.portions(make_sieve(("label",), ignore_case=False)))
        labels = read_labels(entries)
        return {target for target, has in labels.items() if has.text == label}

    def concerns_file(self, query: Query) -> bool:
        """Whether any of the session's calls reads or changes the query's file."""
        entries = chain.from_iterable(self.portions(query.file_sieve))
        return any(query.concerns_file(entry.value, self.cwd) for entry in entries if entry.type == "message")

    @cached_property
    def current_branch(self) -> set[Key]:
        """The keys of the entries on the session's current branch."""
        file = SessionFile(self._path)
        source = Tree(Whole(file).entries) if self._is_old else Tail(file)
        return {map_key(entry.id) for entry in climb(source.get, next(source.newest_first(), None))}


def _entries(block: Block, lines: Iterable[tuple[int, int]]) -> Iterator[Entry]:
    for start, end in lines:
        line = block.copy(start, end)
        try:
            entry = read_entry(line, 0, len(line))
        except BadLine:
            continue
        if entry is not None and entry.type != "session":
            yield entry
