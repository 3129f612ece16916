"""The labels of a session, and the entries they name."""

from typing import NamedTuple

from pisess_cli.core.format.entries import Entry, Key, Label
from pisess_cli.core.session.session import Session


class LabelledEntry(NamedTuple):
    """A label, the id it stands on, and that entry if the file has it."""

    label: Label
    target: Key
    entry: Entry | None


def list_labels(session: Session) -> list[LabelledEntry]:
    """The labels in the order in which they were first set."""
    return [LabelledEntry(label, target, session.tree.get(target)) for target, label in session.tree.labels.items()]


def labelled(session: Session, name: str) -> str | None:
    """The id of the one entry that has the label, whether the file has that entry or not; None if there is no one."""
    found = [key for key, label in session.tree.labels.items() if label.text == name and isinstance(key, str)]
    return found[0] if len(found) == 1 else None
