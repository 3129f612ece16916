"""How the labels of a session look."""

from collections.abc import Iterable

from pisess_cli.core.format.javascript import shown
from pisess_cli.core.session.labels import LabelledEntry
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.table import Cell, Column, write_table
from pisess_cli.view.terminal import Terminal


def write_labels(terminal: Terminal, labels: Iterable[LabelledEntry], date: DateFormat, *, as_json: bool) -> None:
    """Writes a line for each label: its name, its entry, when it was set, what the entry says."""
    if as_json:
        for found in labels:
            label = found.label
            write_json(
                terminal, {"label": label.text, "id": _target(found), "timestamp": word(label.timestamp) or None}
            )
        return
    columns = (Column("Label", "label"), Column("Entry", "id"), Column("Set", "date"), Column("Says", flexible=True))
    write_table(terminal, columns, (_cells(found, date) for found in labels))


def _target(found: LabelledEntry) -> str | None:
    return found.target if isinstance(found.target, str) else None


def _cells(found: LabelledEntry, date: DateFormat) -> list[Cell]:
    says = EntryRecord(found.entry, None).subject if found.entry else "(no such entry)"
    return [shown(found.label.text), _target(found) or "", date.of(found.label.timestamp), says]
