"""How an undo looks: what it says that it does, and its JSON."""

from pisess_cli.core.changes.undo import LabelBefore, Undo
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.entry_text import subject
from pisess_cli.core.format.javascript import JsonObject, shown
from pisess_cli.core.session.reflog import is_checkout
from pisess_cli.view.entry import word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.terminal import Terminal

_SUBJECT_LENGTH = 60


def write_undo(terminal: Terminal, undo: Undo, head: Entry | None, made: Entry | None, *, as_json: bool) -> None:
    """Writes the id of the entry that records an undo, and says on stderr what is taken back, and what comes of it.

    `made` is that entry, None in a dry run; `head` the newest history entry of the current path afterwards.
    """
    if as_json:
        write_json(terminal, _as_json(undo, head, made))
    elif made is not None:
        terminal.line(str(made.id))
    verb = "would take back" if made is None else "took back"
    terminal.note(f"{verb}: " + "\n".join(_lines(undo, head)))


def _as_json(undo: Undo, head: Entry | None, made: Entry | None) -> JsonObject:
    last = undo.write[-1]
    return {
        "id": word(made.id) if made else None,
        "kind": "checkout" if is_checkout(last) else word(last.type),
        "undone": [word(entry.id) for entry in undo.write],
        "head": word(head.id) or None if head else None,
        "labels": [_label_as_json(label) for label in undo.labels],
        "name": undo.name,
    }


def _label_as_json(label: LabelBefore) -> JsonObject:
    return {"targetId": word(label.entry.target_id), "label": label.before.text if label.before else None}


def _lines(undo: Undo, head: Entry | None) -> list[str]:
    last = undo.write[-1]
    lines = [f"{_write(last)} ({word(last.id)})"]
    lines += [f"  {_label_line(label)}" for label in undo.labels]
    if last.type == "session_info":
        lines.append("  the session has no name" if undo.name is None else f"  the session's name is {undo.name}")
    if undo.moves_leaf:
        place = "before the first entry" if head is None else f"at {word(head.id)} ({subject(head)[:_SUBJECT_LENGTH]})"
        lines.append(f"  the leaf is {place}")
    return lines


def _write(entry: Entry) -> str:
    if is_checkout(entry):
        return "checkout"
    if entry.type in ("compaction", "branch_summary"):
        return word(entry.type).replace("_", " ")
    return subject(entry)[:_SUBJECT_LENGTH]


def _label_line(label: LabelBefore) -> str:
    target = word(label.entry.target_id)
    return f"{target} has no label" if label.before is None else f"{target} has the label {shown(label.before.text)}"
