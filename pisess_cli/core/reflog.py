"""Where the leaf has been: every place at which a session's writing went on elsewhere than at its end."""

from collections.abc import Iterator
from typing import NamedTuple

from pisess_cli.core.entries import Entry, map_key
from pisess_cli.core.session import Session

CHECKOUT = "pisess.checkout"
"""The customType of the entry that moves the leaf (SPEC 6)."""


class Move(NamedTuple):
    """A move of the leaf from one entry to another (None: before the first), and the entry written right after it."""

    left: Entry
    target: Entry | None
    by: Entry

    @property
    def is_checkout(self) -> bool:
        """Whether pisess made the move; otherwise Pi went on from another entry."""
        return is_checkout(self.by)


def is_checkout(entry: Entry) -> bool:
    """Whether the entry is there to move the leaf, and for nothing else."""
    return entry.type == "custom" and entry.value.get("customType") == CHECKOUT


def moves(session: Session) -> Iterator[Move]:
    """The moves of the leaf, newest first: each entry whose parent is not the entry before it in the file."""
    newer: Entry | None = None
    for entry in session.newest_first():
        if newer is not None and map_key(newer.parent_id) != map_key(entry.id):
            target = session.get(newer.parent_id) if newer.parent_id else None
            yield Move(entry, target, newer)
        newer = entry
