"""How the moves of a session's leaf look."""

from collections.abc import Iterable

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.session.reflog import Move
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.table import Cell, Column, write_table
from pisess_cli.view.terminal import Terminal

_MADE_BY = {"checkout": "checkout", "undo": "undo", "branch_summary": "summary", "branch": "branch"}
_ROOT = "ROOT"


def write_moves(terminal: Terminal, moves: Iterable[Move], date: DateFormat, *, as_json: bool) -> None:
    """Writes a line for each move, given newest first: what names its origin, what made it, from, to, when, words."""
    if as_json:
        for number, move in enumerate(moves, 1):
            write_json(terminal, _as_json(number, move))
        return
    columns = (
        Column("Was"),
        Column("Moved by"),
        Column("From", "id"),
        Column("To", "id"),
        Column("Date", "date"),
        Column("Last words there", flexible=True),
    )
    write_table(terminal, columns, (_cells(number, move, date) for number, move in enumerate(moves, 1)))


def _cells(number: int, move: Move, date: DateFormat) -> list[Cell]:
    return [
        _revision(number),
        _MADE_BY[move.kind],
        word(move.origin.id)[:SHORT_ID],
        word(move.destination.id)[:SHORT_ID] if move.destination else _ROOT,
        date.of(move.by.timestamp),
        EntryRecord(move.origin, None).subject,
    ]


def _as_json(number: int, move: Move) -> JsonObject:
    return {
        "revision": _revision(number),
        "kind": move.kind,
        "id": word(move.by.id) or None,
        "from": word(move.origin.id) or None,
        "to": _id(move.destination),
        "timestamp": word(move.by.timestamp) or None,
    }


def _revision(number: int) -> str:
    return f"@{{-{number}}}"


def _id(entry: Entry | None) -> str | None:
    return None if entry is None else word(entry.id) or None
