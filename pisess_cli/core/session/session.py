"""A session as the commands use it: read from the file's end where that is enough, whole where it is not."""

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pisess_cli.core.format.entries import Entry, Header, Key, Label, map_key, read_labels, session_name
from pisess_cli.core.format.javascript import Maybe
from pisess_cli.core.storage.file_end import Tail
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.tree.tree import Tree, climb

if TYPE_CHECKING:
    from pisess_cli.core.context.projection import Projection
    from pisess_cli.core.storage.entry_digests import Digested
    from pisess_cli.core.storage.id_index import IdIndex
    from pisess_cli.core.storage.whole_file import Whole

_RECENT = 200


class Session:
    """A session file, as it was when it was opened. Raises `NotASession` or `PisessError` at once if it is none.

    The tail and the whole file give the same answers (PERFORMANCE, "the end first"); versions 1 and 2 are read whole.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = SessionFile(path)
        self.has_cycle = False
        self._digested: Digested | None = None
        self._tail = None if self.file.header.is_old else Tail(self.file)

    @cached_property
    def whole(self) -> "Whole":
        """The whole file."""
        from pisess_cli.core.storage.whole_file import Whole

        return Whole(self.file)

    def read_digests(self) -> None:
        """Reads the whole file with the digest of each message, for who is going to show them all."""
        from pisess_cli.core.storage.entry_digests import Digested

        if self._tail is not None and not self._reads_whole:
            self._digested = Digested(self.file)

    @property
    def _all(self) -> "Whole | Digested":
        return self._digested or self.whole

    @cached_property
    def tree(self) -> Tree:
        """All entries, indexed; reads the whole file."""
        return Tree(self._all.entries)

    @property
    def _reads_whole(self) -> bool:
        return self._tail is None or "tree" in self.__dict__

    @property
    def header(self) -> Header:
        """The session's header, as a current file would hold it."""
        return self.whole.header if self._tail is None else self.file.header

    @property
    def skipped(self) -> int:
        """How many lines of what was read so far are no JSON."""
        if self._tail is None or self._digested or "whole" in self.__dict__:
            return self._all.skipped
        return self._tail.skipped

    @property
    def warnings(self) -> list[str]:
        """What is wrong with the parts of the file that were read so far, a line each."""
        found = []
        if self.skipped:
            lines = "1 line is" if self.skipped == 1 else f"{self.skipped} lines are"
            found.append(f"{lines} no JSON and skipped; pisess fsck tells more")
        if self.has_cycle:
            found.append("entries are their own ancestors; the path is cut there")
        if self._reads_whole and self.tree.duplicate_ids:
            found.append(f"several entries have the same id, the last one counts: {self.tree.duplicate_ids[0]}")
        return found

    @cached_property
    def leaf(self) -> Entry | None:
        """The file's last entry, whatever it is; None in a session without entries."""
        return next(self.newest_first(), None)

    def get(self, entry_id: Maybe) -> Entry | None:
        """The entry with exactly that id."""
        return self._get(map_key(entry_id))

    def _get(self, key: Key) -> Entry | None:
        if self._tail is None or self._reads_whole:
            return self.tree.get(key)
        return self._tail.get(key)

    def newest_first(self) -> Iterator[Entry]:
        """All entries, the last of the file first."""
        if self._tail is None or self._reads_whole:
            return self.tree.newest_first()
        return self._tail.newest_first()

    def walk(self, start: Entry | None) -> Iterator[Entry]:
        """The entries from `start` up to its root; a cycle is cut."""
        if start is not None and self._reads_whole:
            # An entry that was read from the end before the whole file was is the same one, but not the same object.
            twin = self.tree.get(start.key)
            start = twin if twin is not None and twin.raw == start.raw else start
        last: Entry | None = None
        for last in climb(self._get, start):
            yield last
        if last is not None and last.parent_id and last.parent_id != last.id and self.get(last.parent_id):
            self.has_cycle = True

    def history(self, start: Entry | None) -> Iterator[Entry]:
        """The history entries from `start` upwards (SPEC 8)."""
        return (entry for entry in self.walk(start) if entry.is_history)

    @cached_property
    def head(self) -> Entry | None:
        """The newest history entry of the current path."""
        return next(self.history(self.leaf), None)

    def is_head(self, entry: Entry) -> bool:
        """Whether the entry is the newest history entry of the current path."""
        return self.head is not None and self.head.key == entry.key

    @cached_property
    def _id_index(self) -> "IdIndex":
        from pisess_cli.core.storage.id_index import WORTH_CACHING, read_id_index

        if self.file.size < WORTH_CACHING:
            return read_id_index(self.file)
        from pisess_cli.core.storage.id_index import cached_id_index

        return cached_id_index(self.file, os.environ)

    def has_id(self, entry_id: str) -> bool:
        """Whether an entry of the file has that id."""
        return entry_id in self.tree.by_id if self._reads_whole else entry_id.encode() in self._id_index.ids

    @property
    def labels(self) -> dict[Key, Label]:
        """The labels by their target, as in `Tree.labels`."""
        return self.tree.labels if self._reads_whole else read_labels(self._id_index.entries)

    @property
    def name(self) -> str | None:
        """The session's name, as in `Tree.name`."""
        if self._tail is None or self._reads_whole:
            return self.tree.name
        # The last one counts, and is often near the end: then the rest need not be read.
        info = _last_info(islice(self._tail.newest_first(), _RECENT)) or _last_info(reversed(self._id_index.entries))
        return None if info is None else session_name(info)

    def projection(self, leaf: Entry | None) -> "Projection":
        """What the model would be sent at that entry; nothing for None."""
        from pisess_cli.core.context.projection import Projection, build_session_path, build_session_projection

        # To Pi an id of null says that there is no leaf.
        if leaf is None or leaf.id is None:
            return Projection([], None, "off")
        if self._reads_whole:
            return build_session_projection(build_session_path(self.tree, leaf.id))
        return build_session_projection(self.context_path(leaf))

    def context_path(self, leaf: Entry | None) -> list[Entry]:
        """The end of the path to that entry that suffices for its context and settings, root side first."""
        from pisess_cli.core.context.projection import context_path

        return context_path(self.walk(leaf), None if self._reads_whole else self._level_above)

    def context_entries(self, leaf: Entry | None) -> list[Entry]:
        """The entries that the context at that entry is made of, in its order."""
        from pisess_cli.core.context.projection import build_context_entries, context_path

        return build_context_entries(context_path(self.walk(leaf), lambda _: None))

    def _level_above(self, entry: Entry) -> Entry | None:
        return self._tail.nearest_above(entry, "thinking_level_change") if self._tail else None

    def path_to(self, leaf: Entry | None) -> list[Entry]:
        """The path from the root down to that entry (Pi's getBranch)."""
        path = list(self.walk(leaf))
        path.reverse()
        return path

    def label_of(self, entry: Entry) -> Label | None:
        """The label of an entry that `walk` or `newest_first` gave."""
        if self._tail is None or self._reads_whole:
            return self.tree.labels.get(entry.key)
        return self._tail.label_of(entry.key)

    def named(self, entry_id: str) -> Entry | None:
        """The entry with exactly that id, which somebody typed: it may well be no id at all."""
        found = None if self._tail is None or self._reads_whole else self._tail.recent(entry_id)
        return found or self.tree.get(entry_id)


def _last_info(newest_first: Iterable[Entry]) -> Entry | None:
    return next((entry for entry in newest_first if entry.type == "session_info"), None)
