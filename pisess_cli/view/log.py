"""How a log looks: one entry after the other, or beside the drawing of their branches."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.session.session import Session
from pisess_cli.core.tree.history import GraphRow
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, full, medium, oneline
from pisess_cli.view.jsonout import write_stored_line
from pisess_cli.view.placeholders import compile_format
from pisess_cli.view.sanitize import safe
from pisess_cli.view.terminal import Terminal

_ROWS = 500
"""How many rows of a graph are written at a time."""


class LogStyle(NamedTuple):
    """What each entry is shown as: the first that applies of JSON, a format, one line, whole content, a few lines."""

    date: DateFormat
    oneline: bool = False
    patch: bool = False
    stat: bool = False
    as_json: bool = False
    template: str | None = None
    null: bool = False


class LogView:
    """Writes entries of a session in a style, with their labels, HEAD marked."""

    def __init__(self, terminal: Terminal, style: LogStyle, session: Session) -> None:
        self._terminal = terminal
        self._style = style
        self._session = session
        self._end = "\0" if style.null else "\n"
        self._format = (
            None if style.template is None else compile_format(style.template, date=style.date, color=terminal.color)
        )
        self._is_dense = style.template is not None or (style.oneline and not style.patch and not style.stat)
        self._first = True

    def entries(self, entries: Iterable[Entry]) -> None:
        """Writes the entries in their order."""
        for entry in entries:
            if self._style.as_json:
                write_stored_line(self._terminal, entry.raw)
                continue
            lines = self._lines(entry, self._terminal.limit)
            # Entries of several lines have an empty one between them.
            between = "" if self._is_dense or self._first else "\n"
            self._first = False
            self._terminal.line(between + "\n".join(lines), end=self._end)

    def _lines(self, entry: Entry, room: int | None) -> list[str]:
        style, terminal, session = self._style, self._terminal, self._session
        record = EntryRecord(entry, session.label_of(entry), is_head=session.is_head(entry))
        if self._format is not None:
            return [self._format(record)]
        if style.patch:
            lines = list(full(terminal, record, style.date))
        elif style.oneline:
            lines = [oneline(terminal, record, room)]
        else:
            lines = medium(terminal, record, style.date, room)
        return [*lines, *stat_lines(terminal, record)] if style.stat else lines

    def graph(self, rows: Iterable[GraphRow], shown: Callable[[Entry], bool] | None) -> None:
        """Writes the rows of a graph; entries that are not `shown` leave their lane as it is. None: all are."""
        from pisess_cli.core.storage.workers import process_count, spread

        drawn = list(rows if shown is None else _drawn(rows, shown))
        parts = [drawn[start : start + _ROWS] for start in range(0, len(drawn), _ROWS)]
        limit = self._terminal.limit
        # Of a large session two processes write more than one does, though each has to be started.
        processes = process_count(self._session.file.size)
        for texts in spread(lambda part: ["".join(self._rows(part, limit))], parts, processes):
            for text in texts:
                self._terminal.write(text)

    def _rows(self, rows: Iterable[GraphRow], limit: int | None) -> Iterator[str]:
        terminal = self._terminal
        bar = terminal.style("|", "other") + " "
        join = terminal.style("|/", "other")
        for depth, entry in rows:
            lanes = bar * depth
            if entry is None:
                yield f"{lanes}{join}\n"
                continue
            lines = self._lines(entry, None if limit is None else limit - 2 * depth - 2)
            between = f"\n{lanes}{bar}"
            text = between.join(lines) + "\n"
            if " \n" in text:
                # Nothing but the drawing, or a line that ends in a space.
                first, *others = lines
                text = "".join([first, *(f"{between}{line}".rstrip() for line in others), "\n"])
            space = "" if self._is_dense else between.strip() + "\n"
            yield f"{lanes}* {text}{space}"


def _drawn(rows: Iterable[GraphRow], shown: Callable[[Entry], bool]) -> Iterator[GraphRow]:
    # Where nothing of a side branch is shown there is nothing to join.
    open_lanes = 0
    for row in rows:
        if row.entry is None:
            if open_lanes > row.depth:
                yield row
            open_lanes = row.depth
        elif shown(row.entry):
            open_lanes = max(open_lanes, row.depth)
            yield row


def stat_lines(terminal: Terminal, record: EntryRecord) -> Iterator[str]:
    """A line with an entry's tokens and cost, and one for each file that it read or changed."""
    from pisess_cli.core.context.file_lists import FileOperations

    tokens = record.tokens
    parts = [f"{tokens:,} tokens"] if tokens else []
    if record.cost:
        parts.append(f"${record.cost:.4f}")
    if parts:
        yield f"    {terminal.style(', '.join(parts), 'other')}"
    files = FileOperations()
    if record.entry.type == "message":
        files.add_message(record.entry.message)
    for mark, paths in zip("RM", files.lists(), strict=True):
        for path in paths:
            yield f"    {terminal.style(mark, 'tool')} {safe(str(path))}"
