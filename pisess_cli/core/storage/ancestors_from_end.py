"""The way up through the part of a file that was not read: backwards, once, with little of it decoded or kept."""

from collections.abc import Mapping

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import PI_MESSAGE, Entry, Key, parent_of, read_entry, read_link
from pisess_cli.core.format.javascript import BadLine, Maybe
from pisess_cli.core.storage.id_index import lines_beside_messages
from pisess_cli.core.storage.session_file import SCAN_BLOCK, SessionFile


def nearest_above(file: SessionFile, end: int, met: Mapping[Key, Entry], start: Entry, type_: str) -> Entry | None:
    """The first entry of a type on the way up from `start`, without itself, in a file of the current version.

    `met`: the entries that stand from `end` on, the last one of each id. Raises `PisessError` if the file has become
    shorter.
    """
    way = _Way(met, start, type_)
    if way.wanted is None or not _occurs(file, type_):
        return way.found
    unread = end
    try:
        while unread and way.wanted is not None:
            unread = _follow(file, unread, way)
    except _PassedByError:
        return _search(file, end, met, start, type_)
    return way.found


class _PassedByError(Exception):
    # The way leads back down in the file: a parent stands behind its child, as Pi does not write it.
    pass


class _Way:
    # `wanted` is the id that comes next on the way, and stands in what is still to be read; None where the way ends.
    # `passed` are the ids of the lines that were gone by.
    def __init__(self, met: Mapping[Key, Entry], start: Entry, type_: str) -> None:
        self.wanted: Key = None
        self.found: Entry | None = None
        self.type = type_
        self.passed: set[Key] = set()
        self._met = met
        self._seen: set[Key] = set()
        self.go_on(parent_of(start))

    def go_on(self, key: Key) -> Key:
        """Goes on at the entry with that id, through all that were met; returns what is wanted now."""
        self.wanted = None
        while key is not None and key not in self._seen:
            self._seen.add(key)
            entry = self._met.get(key)
            if entry is None:
                if key in self.passed:
                    raise _PassedByError
                self.wanted = key
                break
            if entry.type == self.type:
                self.found = entry
                break
            key = parent_of(entry)
        return self.wanted


def _occurs(file: SessionFile, type_: str) -> bool:
    # Whether any entry has the type. Pi sets level and model in the first lines, so that this ends there nearly always.
    if type_ == "message":
        return True
    others = lines_beside_messages(file, set[bytes]().add)
    return any((link := _link(memoryview(line))) and link[0] == type_ for _, line in others)


def _follow(file: SessionFile, end: int, way: _Way) -> int:
    # Follows the way through a block that ends there; gives back where the block begins. Pi's messages that are not on
    # the way are not decoded: should one of them be no JSON, it only seems to be passed.
    data, first, begin = file.lines_before(end, SCAN_BLOCK)
    view = memoryview(data)
    begins_as_message = PI_MESSAGE.match
    pass_by = way.passed.add
    wanted = way.wanted
    line_end = len(data) - data.endswith(b"\n")
    while line_end >= first:
        line_start = data.rfind(b"\n", first, line_end) + 1 or first
        message = begins_as_message(data, line_start)
        if message and (key := message[1].decode()) != wanted:
            pass_by(key)
        elif link := _link(view[line_start:line_end]):
            type_, found, parent = link
            pass_by(found)
            if found == wanted:
                if type_ == way.type:
                    way.found = read_entry(data, line_start, line_end)
                    parent = None
                wanted = way.go_on(parent)
                if wanted is None:
                    break
        line_end = line_start - 1
    return begin


def _link(line: memoryview) -> tuple[Maybe, Key, Key] | None:
    # The type, the key and the parent's key of the entry on a line, None where there is none.
    try:
        link = read_link(line)
    except BadLine:
        return None
    return link if link and link[0] != "session" else None


def _search(file: SessionFile, end: int, met: Mapping[Key, Entry], start: Entry, type_: str) -> Entry | None:
    # The same wherever parents stand: of all entries in the part that is not read, it is noted what is above them.
    parents: dict[Key, Key] = {}
    wanted: dict[Key, Entry] = {}
    while end:
        data, first, end = file.lines_before(end, SCAN_BLOCK)
        view = memoryview(data)
        for line_start, line_end in reversed(list(jsonl.line_spans(data, first))):
            link = _link(view[line_start:line_end])
            if link and link[1] not in parents:
                parents[link[1]] = link[2]
                if link[0] == type_ and (entry := read_entry(data, line_start, line_end)):
                    wanted[link[1]] = entry
    seen: set[Key] = set()
    key = parent_of(start)
    while key is not None and key not in seen:
        seen.add(key)
        entry = met.get(key) or wanted.get(key)
        if entry is not None and entry.type == type_:
            return entry
        key = parents.get(key) if entry is None else parent_of(entry)
    return None
