"""Likely secrets in many session files: which entries have them, and what kind they are. They are never given whole."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from pisess_cli.core.errors import NotASession
from pisess_cli.core.format.entries import Entry, read_entry
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.format.line_strings import strings
from pisess_cli.core.search.entry_filter import EntryFilter
from pisess_cli.core.search.hits import SecretHit, described
from pisess_cli.core.search.secrets import find_secrets, masked
from pisess_cli.core.storage.blocks import BlockReader
from pisess_cli.core.storage.session_file import SessionFile, file_size, read_header
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.storage.workers import process_count, spread

_Row: TypeAlias = tuple[str, str | None, str | None, str | None, str | None, str, str]
"""A hit without its path, in plain values."""


def search_secrets(
    paths: Sequence[Path], entries: EntryFilter, *, first_only: bool = False, tick: Callable[[], object] | None = None
) -> Iterator[SecretHit]:
    """The likely secrets, file by file, in each in the file's order; of an entry each of them once.

    Lines that are no JSON are looked through too where the filter wants all entries. `first_only`: one a file is
    enough. `tick` is called for each file that is done. What is no session, or cannot be read, has none.
    """
    work = _FileSearch(entries, first_only=first_only)
    processes = process_count(sum(map(file_size, paths)))
    for path, rows in zip(paths, spread(work, paths, processes), strict=True):
        yield from (SecretHit(path, *row) for row in rows)
        if tick:
            tick()


class _FileSearch:
    """Finds the secrets in one file after the other."""

    def __init__(self, entries: EntryFilter, *, first_only: bool) -> None:
        self._entries = entries
        self._wants_all = entries == EntryFilter(full=True)
        self._first_only = first_only
        self._reader = BlockReader()

    def __call__(self, path: Path) -> Iterator[_Row]:
        """The secrets in a file; none if it is no session or cannot be read."""
        header = read_header(path)
        if header is None:
            return
        try:
            for line, entry in _old_lines(path) if header.is_old else self._lines(path):
                for row in self._rows(header.id, line, entry):
                    yield row
                    if self._first_only:
                        return
        except (OSError, NotASession):
            return

    def _lines(self, path: Path) -> Iterator[tuple[bytes, Entry | None]]:
        for block in self._reader.file(path):
            for start, end in block.lines():
                line = block.copy(start, end)
                try:
                    yield line, read_entry(line, 0, len(line))
                except BadLine:
                    yield line, None

    def _rows(self, session: str, line: bytes, entry: Entry | None) -> Iterator[_Row]:
        if not self._wants_all and (entry is None or not self._entries(entry)):
            return
        texts = strings(line) if entry else [(line.decode("utf-8", "replace"), None)]
        seen: set[tuple[str, str]] = set()
        entry_fields = (None, None, None, None) if entry is None else described(entry)
        for text, name in texts:
            for secret in find_secrets(text, name):
                found = (secret.rule, text[secret.start : secret.end])
                if found not in seen:
                    seen.add(found)
                    yield session, *entry_fields, secret.rule, masked(text, secret)


def _old_lines(path: Path) -> Iterator[tuple[bytes, Entry | None]]:
    # The entries get their ids from all that stands before them.
    whole = Whole(SessionFile(path))
    yield from ((entry.raw, entry) for entry in whole.kept)
    yield from ((whole.data[slice(*span)], None) for span in whole.bad_spans)
