"""How the branches of a session look."""

from collections.abc import Iterable

from pisess_cli.core.format.javascript import JsonObject, shown
from pisess_cli.core.session.branches import Branch
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.table import Cell, Column, Styled, write_table
from pisess_cli.view.terminal import Terminal


def write_branches(
    terminal: Terminal, branches: Iterable[Branch], date: DateFormat, *, verbose: bool, as_json: bool
) -> None:
    """Writes a line for each branch: a mark on the current one, its tip, labels and last words."""
    if as_json:
        for branch in branches:
            write_json(terminal, _as_json(branch))
        return
    columns = [Column(""), Column("Tip", "id"), Column("Labels", "label", flexible=True)]
    if verbose:
        columns += [Column("Length", right=True), Column("Fork", "id"), Column("Date", "date")]
    columns.append(Column("Last words", flexible=True))
    write_table(terminal, columns, (_cells(branch, date, verbose=verbose) for branch in branches))


def _cells(branch: Branch, date: DateFormat, *, verbose: bool) -> list[Cell]:
    record = EntryRecord(branch.tip, None)
    style = "current" if branch.is_current else None
    cells: list[Cell] = [
        Styled("*" if branch.is_current else " ", style),
        record.id,
        ", ".join(shown(label.text) for label in branch.labels),
    ]
    if verbose:
        fork = word(branch.fork.id)[:SHORT_ID] if branch.fork else ""
        cells += [str(branch.length), fork, date.of(record.entry.timestamp)]
    return [*cells, Styled(record.subject, style)]


def _as_json(branch: Branch) -> JsonObject:
    record = EntryRecord(branch.tip, None)
    return {
        "id": record.id,
        "current": branch.is_current,
        "labels": [shown(label.text) for label in branch.labels],
        "forkedFrom": word(branch.fork.id) if branch.fork else None,
        "entries": branch.length,
        "timestamp": word(branch.tip.timestamp) or None,
        "role": record.role,
        "subject": record.subject,
    }
