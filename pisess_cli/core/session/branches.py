"""The branches of a session: its tips, and where each forked off."""

from typing import NamedTuple

from pisess_cli.core.format.entries import Entry, Key, Label
from pisess_cli.core.session.session import Session
from pisess_cli.core.tree.history import History


class Branch(NamedTuple):
    """A tip with what leads to it.

    `length` counts the history entries of the branch alone: those that no other branch listed before it has. `fork`
    is the entry below which they begin (None: the branch begins at a root). `labels` stand on those entries, newest
    first.
    """

    tip: Entry
    is_current: bool
    fork: Entry | None
    length: int
    labels: list[Label]


def list_branches(session: Session) -> list[Branch]:
    """The branches, the current one first, then those written last. An entry counts for the first that has it."""
    history = History(session.tree)
    head = session.head
    current = None if head is None else head.key
    tips = list(reversed(history.tips))
    # HEAD is a tip of its own where the leaf was moved back and nothing was said since.
    if head is not None and all(tip.key != current for tip in tips):
        tips.append(head)
    tips.sort(key=lambda tip: tip.key != current)
    taken: set[Key] = set()
    return [_branch(session, history, tip, taken, is_current=tip.key == current) for tip in tips]


def _branch(session: Session, history: History, tip: Entry, taken: set[Key], *, is_current: bool) -> Branch:
    length = 0
    labels: list[Label] = []
    entry: Entry | None = tip
    while entry is not None and entry.key not in taken:
        taken.add(entry.key)
        length += 1
        label = session.label_of(entry)
        labels += [label] if label else []
        entry = history.parent(entry)
    return Branch(tip, is_current, entry, length, labels)


def containing(session: Session, branches: list[Branch], entry: Entry) -> list[Branch]:
    """Those of the branches whose path holds the entry."""
    below = session.tree.at_or_below(entry.key)
    return [branch for branch in branches if branch.tip.key in below]
