"""What of a damaged session file can stay: its sound entries in order, a header, and what lost lines still tell."""

import re

from pisess_cli.core.copies.file_scan import FileScan, Found, Line
from pisess_cli.core.copies.findings import Action
from pisess_cli.core.format.entries import CURRENT_VERSION, Entry, is_header
from pisess_cli.core.format.entry_fields import with_fields

_ENVELOPE = re.compile(rb'"id":"([^"\\]{1,64})","parentId":(?:"([^"\\]{1,64})"|null)')


class Salvage:
    """What is left of a file, and `actions` that say what is not, in no particular order.

    `lost_parents`: of entries that are lost with their lines, the parent that is still to be read there (None: a root).
    `leaf`: the place in `found` of the entry that is the file's last, None in a session without entries.
    """

    def __init__(self, scan: FileScan) -> None:
        self.actions: list[Action] = []
        self.lost_parents: dict[str, str | None] = {}
        self.found: list[Found] = []
        self.leaf: int | None = None
        self._first_places: dict[tuple[str, int], int] = {}
        for line in scan.lines:
            if line.entry is None:
                self._lose(line, scan.data)
        if scan.is_cut_off and scan.lines[-1].entry:
            self.actions.append(Action(scan.lines[-1].number, None, "ended by a newline"))
        self.header = self._sort(scan)

    def act(self, found: Found, what: str) -> None:
        """Notes what is done about an entry."""
        entry_id = found.entry.id
        self.actions.append(Action(found.line, entry_id if isinstance(entry_id, str) else None, what))

    def _lose(self, line: Line, data: bytes) -> None:
        whole = len(line.pieces)
        what = f"taken apart: entries kept of it: {whole}" if whole else "left out: no entry"
        self.actions.append(Action(line.number, None, what))
        for found in _ENVELOPE.finditer(data, line.start, line.end):
            entry_id, parent = (None if part is None else part.decode("utf-8", "replace") for part in found.groups())
            self.lost_parents.setdefault(str(entry_id), parent)

    def _sort(self, scan: FileScan) -> bytes:
        header: Found | None = None
        for number, found in enumerate(scan.found(with_pieces=True)):
            if header is None and is_header(found.entry):
                header = found
                if number:
                    self.act(found, "moved to the start")
            elif found.entry.type == "session":
                self.act(found, "left out: a second header")
            elif isinstance(found.entry.type, str):
                self._keep(found)
            else:
                self.act(found, "left out: no entry")
        if scan.header.is_old:
            what = f"written as version {CURRENT_VERSION}"
            self.actions.append(Action(header.line if header else 1, None, what))
        if header:
            return header.entry.raw
        self.actions.append(Action(1, scan.header.id, "a header put there"))
        return with_fields(scan.header.entry.raw, {"version": str(CURRENT_VERSION).encode()})

    def _keep(self, found: Found) -> None:
        # An entry that stands there already, byte for byte, is not needed again.
        self.leaf = self._place_of(found.entry)
        if self.leaf < len(self.found):
            self.act(found, "left out: the same line stands there already")
        else:
            self.found.append(found)

    def _place_of(self, entry: Entry) -> int:
        new = len(self.found)
        if not isinstance(entry.id, str):
            return new
        # By its hash, so that many entries of one id are no burden.
        first = self._first_places.setdefault((entry.id, hash(entry.raw)), new)
        return first if first < new and self.found[first].entry.raw == entry.raw else new
