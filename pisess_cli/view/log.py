"""How a log looks: one entry after the other, or beside the drawing of their branches."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pisess_cli.core.entries import Entry
from pisess_cli.core.history import GraphRow
from pisess_cli.core.session import Session
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, full, medium, oneline
from pisess_cli.view.jsonout import write_stored_line
from pisess_cli.view.placeholders import compile_format
from pisess_cli.view.sanitize import safe
from pisess_cli.view.terminal import Terminal


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
        self._first = True

    def entries(self, entries: Iterable[Entry]) -> None:
        """Writes the entries in their order."""
        for entry in entries:
            if self._style.as_json:
                write_stored_line(self._terminal, entry.raw)
            else:
                self._write(self._lines(self._record(entry)))

    def _record(self, entry: Entry) -> EntryRecord:
        return EntryRecord(entry, self._session.label_of(entry), is_head=self._session.is_head(entry))

    def _write(self, lines: Iterable[str]) -> None:
        self._terminal.line("\n".join(lines), end=self._end)

    @property
    def _is_dense(self) -> bool:
        # Entries of several lines have an empty one between them.
        return self._format is not None or (self._style.oneline and not self._style.patch and not self._style.stat)

    def _lines(self, record: EntryRecord, margin: str = "") -> Iterator[str]:
        if not self._is_dense and not self._first and not margin:
            yield ""
        self._first = False
        if self._format is not None:
            yield self._format(record)
            return
        if self._style.patch:
            yield from full(self._terminal, record, self._style.date)
        elif self._style.oneline:
            yield oneline(self._terminal, record, margin=margin)
        else:
            yield from medium(self._terminal, record, self._style.date)
        if self._style.stat:
            yield from stat_lines(self._terminal, record)

    def graph(self, rows: Iterable[GraphRow], shown: Callable[[Entry], bool]) -> None:
        """Writes the rows of a graph; entries that are not `shown` leave their lane as it is."""
        lane = self._terminal.style("|", "other") + " "
        node = "* "
        join = self._terminal.style("|/", "other")
        open_lanes = 0
        for row in rows:
            before = lane * row.depth
            if row.entry is None:
                # Where nothing of the side branch was shown there is nothing to join.
                if open_lanes > row.depth:
                    self._terminal.line(before + join)
                open_lanes = row.depth
                continue
            if not shown(row.entry):
                continue
            open_lanes = max(open_lanes, row.depth)
            lines = self._lines(self._record(row.entry), before + node)
            self._terminal.line(self._in_graph(lines, before + node, before + lane))

    def _in_graph(self, lines: Iterable[str], first: str, others: str) -> str:
        out: list[str] = []
        for line in lines:
            # The one-line form has drawn its margin itself, to know what room is left.
            drawn = line if self._is_dense and self._format is None else (others if out else first) + line
            out.append(drawn)
        if not self._is_dense:
            out.append(others.rstrip())
        return "\n".join(out)


def stat_lines(terminal: Terminal, record: EntryRecord) -> Iterator[str]:
    """A line with an entry's tokens and cost, and one for each file that it read or changed."""
    from pisess_cli.core.file_lists import FileOperations

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
