"""Where the leaf has been: every place at which a session's writing went on elsewhere than at its end."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.session.session import Session

CHECKOUT = "pisess.checkout"
"""The customType of the entry that moves the leaf (SPEC 6)."""
UNDO = "pisess.undo"
"""The customType of the entry that takes a write back, and moves the leaf where that is needed."""
MoveKind = Literal["checkout", "undo", "branch_summary", "branch"]


class Move(NamedTuple):
    """A move of the leaf, and the entry `by` that was written right after it.

    `left` and `target` are the leaf before and after (None: before the first entry), whatever stands there;
    `head_before` and `head_after` the history entries at or above them, which are never the same.
    """

    left: Entry
    target: Entry | None
    by: Entry
    head_before: Entry | None
    head_after: Entry | None

    @property
    def origin(self) -> Entry:
        """What going back leads to: bookkeeping is stepped over, so that it is what the log showed."""
        return self.head_before or self.left

    @property
    def destination(self) -> Entry | None:
        """Where the move led to, likewise."""
        return self.head_after or self.target

    @property
    def kind(self) -> MoveKind:
        """What made the move; `branch`: the conversation went on from another entry, as it does in Pi."""
        if is_checkout(self.by):
            return "checkout"
        if is_undo(self.by):
            return "undo"
        return "branch_summary" if self.by.type == "branch_summary" else "branch"


def is_checkout(entry: Entry) -> bool:
    """Whether the entry is there to move the leaf, and for nothing else."""
    return entry.type == "custom" and entry.value.get("customType") == CHECKOUT


def is_undo(entry: Entry) -> bool:
    """Whether the entry takes a write back."""
    return entry.type == "custom" and entry.value.get("customType") == UNDO


def moves(session: Session) -> Iterator[Move]:
    """The moves of the leaf, newest first: entries whose parent is not the entry before them in the file.

    Where no history entry lies between the two, as when a label was set while Pi was at work, nothing has moved.
    """
    heads = _Heads(session)
    newer: Entry | None = None
    for entry in session.newest_first():
        if newer is not None and newer.parent_key != entry.key:
            target = session.get(newer.parent_id) if newer.parent_id else None
            before, after = heads.at(entry), heads.at(target)
            if (before and before.key) != (after and after.key):
                yield Move(entry, target, newer, before, after)
        newer = entry


class _Heads:
    # The history entry at or above any entry; each stretch of bookkeeping is walked once, however often it is left.
    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[int, Entry | None] = {}

    def at(self, start: Entry | None) -> Entry | None:
        current = start
        walked: list[int] = []
        while current is not None and not current.is_history and id(current) not in self._known:
            # Stands until the head is known; who comes back here is in a cycle without history.
            self._known[id(current)] = None
            walked.append(id(current))
            current = self._session.get(current.parent_id) if current.parent_id else None
        head = current if current is None or current.is_history else self._known[id(current)]
        self._known.update(dict.fromkeys(walked, head))
        return head
