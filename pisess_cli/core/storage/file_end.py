"""A session file read from its end, as far as somebody asks (PERFORMANCE, "the end first")."""

from collections.abc import Iterator

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry, Key, Label, label_change, read_entry
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.storage.session_file import SessionFile

RECENT_BYTES = 2 * 1024 * 1024
"""How much of a file's end is looked through for a name before the whole file is."""
_FIRST_BLOCK = 256 * 1024
_LARGEST_BLOCK = 8 * 1024 * 1024


class Tail:
    """The entries of a file of the current version from its end, read in blocks as far as somebody asks.

    Of entries that share an id the last one counts, so the first that is met on the way back is the right one.
    """

    def __init__(self, file: SessionFile) -> None:
        self._file = file
        self._unread = file.size
        self._block = _FIRST_BLOCK
        self._met: list[Entry] = []
        self._by_id: dict[Key, Entry] = {}
        self._labels: dict[Key, Label | None] = {}
        self.skipped = 0

    @property
    def is_whole(self) -> bool:
        """Whether the start of the file was reached."""
        return self._unread == 0

    def newest_first(self) -> Iterator[Entry]:
        """All entries, the last of the file first."""
        position = 0
        while position < len(self._met) or self._read_back():
            if position < len(self._met):
                yield self._met[position]
                position += 1

    def get(self, key: Key) -> Entry | None:
        """The entry with that id, or None when the whole file has none."""
        while (entry := self._by_id.get(key)) is None:
            if not self._read_back():
                return None
        return entry

    def recent(self, key: Key) -> Entry | None:
        """The entry with that id if it stands in the last part of the file; None says nothing about the rest."""
        while key not in self._by_id and self._file.size - self._unread < RECENT_BYTES and self._read_back():
            pass
        return self._by_id.get(key)

    def label_of(self, key: Key) -> Label | None:
        """The label of an entry that was met: what sets a label stands further down in the file than its target."""
        return self._labels.get(key)

    def nearest_above(self, start: Entry, type_: str) -> Entry | None:
        """The first entry of a type on the way up from an entry, without itself.

        The part of the file that was not read yet is gone through once; nothing of it stays in memory.
        """
        from pisess_cli.core.storage.ancestors_from_end import nearest_above

        return nearest_above(self._file, self._unread, self._by_id, start, type_)

    def _read_back(self) -> bool:
        # One block more; False when there was nothing left to read.
        if not self._unread:
            return False
        data, first, self._unread = self._file.lines_before(self._unread, self._block)
        for line_start, line_end in reversed(list(jsonl.line_spans(data, first))):
            try:
                entry = read_entry(data, line_start, line_end)
            except BadLine:
                self.skipped += not jsonl.is_blank(data[line_start:line_end])
                continue
            if entry is not None and entry.type != "session":
                self._met.append(entry)
                self._by_id.setdefault(entry.key, entry)
                if entry.type == "label":
                    target, label = label_change(entry)
                    self._labels.setdefault(target, label)
        self._block = min(self._block * 2, _LARGEST_BLOCK)
        return True
