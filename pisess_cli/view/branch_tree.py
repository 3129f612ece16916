"""How the shape of a session looks: a line a run, branches beside the line that they forked off from."""

from collections.abc import Iterable, Sequence
from shutil import get_terminal_size

from pisess_cli.core.format.javascript import JsonObject, shown
from pisess_cli.core.reports.outline import Run, fold
from pisess_cli.view.entry import EntryRecord, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.table import Cell, Column, Styled, write_table
from pisess_cli.view.terminal import Terminal

_LANE = "│ "
_FORK = "├─"
_ROOT = "○"
_RUN = "●"
_OTHER_LINES = 3
"""Lines of the screen that are not for runs: the titles, the prompt before and behind."""
_COLUMNS = (
    Column(""),
    Column("Entries", right=True),
    Column("Cost", right=True),
    Column("Ends at", "id"),
    Column("Marks", "label", flexible=True),
    Column("Begins with", flexible=True),
)


def write_branch_tree(terminal: Terminal, runs: Sequence[Run], *, fold_to_fit: bool, as_json: bool) -> None:
    """Writes a line for each run: its drawing, entries, cost, last entry, what stands on it, and how it begins.

    On a terminal, and with `fold_to_fit`, the smallest branches are folded away until the rest fits it.
    """
    if as_json:
        for run in runs:
            write_json(terminal, _as_json(run))
        return
    if fold_to_fit and terminal.is_tty:
        runs = fold(runs, get_terminal_size().lines - _OTHER_LINES)
    write_table(terminal, _COLUMNS, map(_cells, runs))


def _cells(run: Run) -> list[Cell]:
    style = "current" if run.on_path else None
    cost = f"${run.tally.cost:.2f}" if run.tally.cost else ""
    return [
        Styled(_drawing(run), style),
        f"{run.tally.entries:,}",
        cost,
        word(run.last.id)[:SHORT_ID],
        ", ".join(_marks(run)),
        Styled(EntryRecord(run.first, None).subject, style),
    ]


def _drawing(run: Run) -> str:
    if not run.depth:
        return _ROOT if run.begins else _RUN
    return _LANE * (run.depth - 1) + (_FORK if run.begins else _LANE) + _RUN


def _marks(run: Run) -> Iterable[str]:
    if run.has_head:
        yield "HEAD"
    compactions = run.tally.compactions
    if compactions:
        yield f"{compactions} compaction{'' if compactions == 1 else 's'}"
    if run.folded:
        branches = f"{run.folded:,} branch{'' if run.folded == 1 else 'es'}"
        cost = f", ${run.folded_tally.cost:.2f}" if run.folded_tally.cost else ""
        yield f"+{branches} ({run.folded_tally.entries:,} entries{cost})"
    for label in run.labels:
        yield shown(label.text)


def _as_json(run: Run) -> JsonObject:
    return {
        "depth": run.depth,
        "begins": run.begins,
        "first": word(run.first.id),
        "last": word(run.last.id),
        "entries": run.tally.entries,
        "turns": run.tally.turns,
        "compactions": run.tally.compactions,
        "labels": [shown(label.text) for label in run.labels],
        "cost": run.tally.cost,
        "head": run.has_head,
        "onPath": run.on_path,
        "subject": EntryRecord(run.first, None).subject,
    }
