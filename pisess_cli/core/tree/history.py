"""The history of a session: its tree without bookkeeping, its tips, and the order of a graph (SPEC 8)."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from pisess_cli.core.format.entries import Entry, Key
from pisess_cli.core.tree.tree import Tree


class GraphRow(NamedTuple):
    """A line of a graph: an entry in the lane `depth`, or where a side branch meets that lane (entry None)."""

    depth: int
    entry: Entry | None


_ROOTS: Key = ("roots", None)


class History:
    """The shown entries of a session as a tree: history entries alone, or all of them (`full`).

    An entry's parent is the nearest shown entry above it. What hangs in a cycle of parents hangs from the entry at
    which the cycle is cut, the first of it in the file.
    """

    def __init__(self, tree: Tree, *, full: bool = False) -> None:
        self.tree = tree
        self.entries = [entry for entry in tree.by_id.values() if full or entry.is_history]
        self._shown = {entry.key for entry in self.entries}
        self._above: dict[Key, Entry | None] = {}
        by_id, above, shown = tree.by_id, self._above, self._shown
        for key, entry in by_id.items():
            parent_key = entry.parent_key
            if parent_key in above and entry.parent_id and key not in above:
                # As nearly always: a parent stands before its children.
                above[key] = by_id[parent_key] if parent_key in shown else above[parent_key]
            else:
                self._find_above(entry)

    def _find_above(self, start: Entry) -> None:
        # Goes up until something known, then comes back down: no recursion, each entry once.
        chain: list[Entry] = []
        walking: set[Key] = set()
        current: Entry | None = start
        while current is not None and current.key not in self._above:
            key = current.key
            if key in walking:
                # The cycle is cut above the entry that it was entered by.
                self._above[key] = None
                break
            walking.add(key)
            chain.append(current)
            current = self.tree.get(current.parent_key) if current.parent_id else None
        for entry in reversed(chain):
            self._above.setdefault(entry.key, self._shown_at_or_above(current))
            current = entry

    def _shown_at_or_above(self, entry: Entry | None) -> Entry | None:
        if entry is None or entry.key in self._shown:
            return entry
        return self._above[entry.key]

    def parent(self, entry: Entry) -> Entry | None:
        """The nearest shown entry above an entry; None for one that the tree has not."""
        # An id that is an object is another one each time that the line is read.
        return self._above.get(entry.key)

    @cached_property
    def _children(self) -> dict[Key, list[Entry]]:
        children: dict[Key, list[Entry]] = {}
        for entry in self.entries:
            above = self.parent(entry)
            children.setdefault(_ROOTS if above is None else above.key, []).append(entry)
        return children

    def children(self, entry: Entry | None) -> list[Entry]:
        """The shown entries below an entry, in the file's order; None gives the roots."""
        return self._children.get(_ROOTS if entry is None else entry.key, [])

    @property
    def tips(self) -> list[Entry]:
        """The entries without a shown entry below them, in the file's order."""
        return [entry for entry in self.entries if not self.children(entry)]

    def graph(self, current: Entry | None) -> Iterator[GraphRow]:
        """All entries, newest first, branch by branch: the current path in lane 0, each other branch beside its fork.

        A branch stands in one piece above the entry it forked off from, so that there are as many lanes as branches
        are nested, however many of them there are.
        """
        on_path: set[Key] = set()
        above = current
        while above is not None:
            on_path.add(above.key)
            above = self.parent(above)
        # An item is an entry to go into, or rows to show, the last first, once what is above them was shown.
        todo: list[GraphRow | list[GraphRow]] = [GraphRow(0, root) for root in self.children(None)]
        while todo:
            item = todo.pop()
            if isinstance(item, list):
                yield from reversed(item)
                continue
            depth, entry = item
            run = [item]
            children = self.children(entry)
            while len(children) == 1:
                run.append(GraphRow(depth, children[0]))
                children = self.children(children[0])
            todo.append(run)
            if not children:
                continue
            main = next((child for child in children if child.key in on_path), children[-1])
            for child in children:
                if child is not main:
                    todo += [[GraphRow(depth, None)], GraphRow(depth + 1, child)]
            todo.append(GraphRow(depth, main))
