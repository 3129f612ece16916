"""What an undo says that it does."""

from pisess_cli.core.entries import Entry
from pisess_cli.core.messages import shown
from pisess_cli.core.reflog import is_checkout
from pisess_cli.core.text import subject
from pisess_cli.core.undo import LabelBefore, Undo
from pisess_cli.view.entry import word

_SUBJECT_LENGTH = 60


def undo_lines(undo: Undo, head: Entry | None) -> list[str]:
    """What is taken back, and what comes of it, a line each; `head`: the history entry at which the leaf will be."""
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
