"""The tree that a session's entries form: index, path, children, roots, labels, name (PI_SEMANTICS B)."""

from collections.abc import Callable, Iterator
from functools import cached_property, cmp_to_key
from typing import NamedTuple

from pisess_cli.core.format.entries import Entry, Key, Label, map_key, read_labels, session_name
from pisess_cli.core.format.javascript import Maybe
from pisess_cli.core.format.times import parse_ms


class TreeNode(NamedTuple):
    """An entry with its children, oldest first, as Pi's getTree gives them."""

    entry: Entry
    children: "list[TreeNode]"
    label: Label | None


def climb(get: Callable[[Key], Entry | None], start: Entry | None) -> Iterator[Entry]:
    """The entries from `start` up to its root, newest first; a cycle is cut where it would repeat (SPEC 4)."""
    seen: set[int] = set()
    current = start
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = get(current.parent_key) if current.parent_id else None


class Tree:
    """All entries of a session, indexed. Of entries that share an id the last one counts, at the first one's place."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.by_id: dict[Key, Entry] = {entry.key: entry for entry in entries}
        self.leaf_id: Maybe = entries[-1].id if entries else None

    def add(self, entry: Entry) -> None:
        """Takes in an entry that was written at the end of the file."""
        self.entries.append(entry)
        self.by_id[entry.key] = entry
        self.leaf_id = entry.id
        # What was derived from the entries before is derived anew when it is asked for.
        for derived in ("_by_parent", "name", "duplicate_ids", *(("labels",) if entry.type == "label" else ())):
            self.__dict__.pop(derived, None)

    def get(self, key: Key) -> Entry | None:
        """The entry with that id."""
        return self.by_id.get(key)

    def newest_first(self) -> Iterator[Entry]:
        """All entries, the last of the file first."""
        return reversed(self.entries)

    def path(self, start: Maybe) -> list[Entry]:
        """The entries from the root down to the one with the id `start`; empty if there is none (Pi's getBranch)."""
        entry = self.by_id.get(map_key(start)) if start else None
        path = list(climb(self.get, entry))
        path.reverse()
        return path

    @cached_property
    def _by_parent(self) -> dict[Key, list[Entry]]:
        index: dict[Key, list[Entry]] = {}
        for entry in self.by_id.values():
            index.setdefault(entry.parent_key, []).append(entry)
        return index

    def children(self, parent: Maybe) -> list[Entry]:
        """The entries whose `parentId` is exactly that, in the file's order; `None` gives those without a parent."""
        return self.children_of(map_key(parent))

    def children_of(self, key: Key) -> list[Entry]:
        """The same for an id as `map_key` gives it."""
        return self._by_parent.get(key, [])

    def at_or_below(self, start: Key) -> set[Key]:
        """The keys of an entry and of all that hangs from it, near or far."""
        found = {start}
        todo = [start]
        while todo:
            below = {child.key for child in self.children_of(todo.pop())} - found
            found |= below
            todo += below
        return found

    def is_root(self, entry: Entry) -> bool:
        """Whether nothing stands above the entry: no parent, an unknown one, or itself (SPEC 4)."""
        parent = entry.parent_key
        return parent is None or parent == entry.key or parent not in self.by_id

    @cached_property
    def labels(self) -> dict[Key, Label]:
        """The labels by their target, in the order in which they were first set; targets need not exist."""
        return read_labels(self.entries)

    @cached_property
    def name(self) -> str | None:
        """The session's name: what the last `session_info` of the file says, whatever branch it is on."""
        info = next((entry for entry in reversed(self.entries) if entry.type == "session_info"), None)
        return None if info is None else session_name(info)

    @cached_property
    def duplicate_ids(self) -> list[str]:
        """The ids that several entries share, in the file's order."""
        if len(self.by_id) == len(self.entries):
            return []
        return [
            str(entry.id) for entry in self.entries if isinstance(entry.id, str) and self.by_id[entry.id] is not entry
        ]

    def nodes(self) -> list[TreeNode]:
        """The roots in the file's order, each with its tree below it, children sorted by time (Pi's getTree).

        With duplicate ids a node stands once for each of its entries. The children of a cycle hang under no root.
        """
        nodes: dict[Key, TreeNode] = {}
        for entry in self.entries:
            key = entry.key
            nodes[key] = TreeNode(entry, [], self.labels.get(key))
        roots: list[TreeNode] = []
        for entry in self.entries:
            above = roots if self.is_root(entry) else nodes[entry.parent_key].children
            above.append(nodes[entry.key])
        for node in nodes.values():
            _sort_by_time(node.children)
        return roots


def _sort_by_time(nodes: list[TreeNode]) -> None:
    if len(nodes) < 2:
        return
    times = {id(node): parse_ms(node.entry.timestamp) for node in nodes}

    def compare(one: TreeNode, other: TreeNode) -> int:
        # A bad date compares as equal to all others, which is no order; the sort algorithm is JavaScript's own.
        first, second = times[id(one)], times[id(other)]
        return 0 if first is None or second is None else first - second

    nodes.sort(key=cmp_to_key(compare))
