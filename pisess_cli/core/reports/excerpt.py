"""What an export holds: one branch of a session or all of them, for pages and tables; a path as lines that Pi opens."""

import os
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from pisess_cli.core.errors import NotFound
from pisess_cli.core.format.entries import Entry, Key, Label
from pisess_cli.core.format.entry_text import subject
from pisess_cli.core.format.ids import uuid7
from pisess_cli.core.format.new_entries import build_header
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.session.session import Session
from pisess_cli.core.store.forks import branched_lines
from pisess_cli.core.tree.history import History
from pisess_cli.core.tree.tree import Tree

_COPY_BYTES = 1024 * 1024


class Section(NamedTuple):
    """A branch without what branches before it have: its entries, oldest first, and the one they begin below."""

    fork: Entry | None
    entries: list[Entry]


class Excerpt:
    """The part of a session that an export shows, and the branch of it that comes first: the one that ends at `tip`.

    `history` holds the entries of the part, with what stands above each.
    """

    def __init__(self, session: Session, tree: Tree, leaf: Entry | None, *, full: bool) -> None:
        self.session = session
        self.history = History(tree, full=full)
        shown = {entry.key for entry in self.history.entries}
        self.tip = next((entry for entry in session.walk(leaf) if entry.key in shown), None)

    @cached_property
    def entries(self) -> list[Entry]:
        """All entries, each behind the one above it, branch by branch in the file's order."""
        found: list[Entry] = []
        todo = self.history.children(None)[::-1]
        while todo:
            entry = todo.pop()
            found.append(entry)
            todo += self.history.children(entry)[::-1]
        return found

    @cached_property
    def first_branch(self) -> set[Key]:
        """The keys of the entries of the branch that comes first."""
        return {entry.key for entry in self._upwards(self.tip)}

    def sections(self) -> Iterator[Section]:
        """The branches, the one that comes first before the others, of these the ones written last first."""
        taken: set[Key] = set()
        for tip in (self.tip, *reversed(self.history.tips)):
            own: list[Entry] = []
            fork: Entry | None = None
            for entry in self._upwards(tip):
                if entry.key in taken:
                    fork = entry
                    break
                own.append(entry)
            taken.update(entry.key for entry in own)
            if own:
                yield Section(fork, own[::-1])

    def _upwards(self, entry: Entry | None) -> Iterator[Entry]:
        while entry is not None:
            yield entry
            entry = self.history.parent(entry)

    def label_of(self, entry: Entry) -> Label | None:
        """The label of an entry, wherever in the file it is set."""
        return self.session.tree.labels.get(entry.key)

    @cached_property
    def title(self) -> str:
        """The session's name, else the first words of a user in this part, else the session's id."""
        name = self.session.tree.name
        said = (subject(entry) for entry in self.entries if entry.role == "user")
        return name or next(said, "") or self.session.header.id


def branch_excerpt(session: Session, leaf: Entry | None, *, full: bool) -> Excerpt:
    """The path to an entry; `full`: with bookkeeping."""
    return Excerpt(session, Tree(session.path_to(leaf)), leaf, full=full)


def whole_excerpt(session: Session, leaf: Entry | None, *, full: bool) -> Excerpt:
    """All branches, the one that ends at an entry first; `full`: with bookkeeping."""
    return Excerpt(session, session.tree, leaf, full=full)


def path_lines(session: Session, leaf: Entry | None) -> Iterator[bytes]:
    """The path to an entry as the lines of a session of its own, with a new id. Raises `NotFound` if there is none."""
    path = session.tree.path(leaf.id) if leaf is not None else []
    if not path:
        raise NotFound("no entry stands there, so there is nothing to export")
    parent = os.path.realpath(session.path)
    header = build_header(uuid7(), iso(now_ms()), session.header.cwd or "", parent)
    return branched_lines(session.tree, path, header)


def file_chunks(session: Session) -> Iterator[bytes]:
    """The bytes of the session file as they are."""
    for start in range(0, session.file.size, _COPY_BYTES):
        yield session.file.read(start, min(start + _COPY_BYTES, session.file.size))
