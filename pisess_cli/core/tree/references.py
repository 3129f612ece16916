"""What the references among a session's entries mean, also where ids are missing, doubled, or lead in a circle.

An entry is named here by its place in the order of the file. A reference means the last entry of that id before it,
since it was written when no later one was there; where none is before it, the first one after it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import Maybe

Break: TypeAlias = Literal["missing-parent", "self-parent", "cycle"]


class Links:
    """The places of the entries' ids."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.places: dict[str, list[int]] = {}
        for place, entry in enumerate(entries):
            if isinstance(entry.id, str) and entry.id:
                self.places.setdefault(entry.id, []).append(place)

    def find(self, reference: Maybe, at: int) -> int | None:
        """The place of the entry that the entry at the place `at` means, which may be itself; None for no entry."""
        places = self.places.get(reference) if isinstance(reference, str) else None
        if places is None:
            return None
        before = bisect_left(places, at)
        return places[max(before - 1, 0)]


class Groups:
    """Which of `count` places are connected; nothing is at first."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def _of(self, place: int) -> int:
        above = self._above
        while above[place] != place:
            above[place] = above[above[place]]
            place = above[place]
        return place

    def join(self, child: int, parent: int) -> bool:
        """Connects two places; False if they were connected already, so that an edge between them closes a circle."""
        one, other = self._of(child), self._of(parent)
        self._above[one] = other
        return one != other


class Ancestry(NamedTuple):
    """Each entry's parent, by places: without circles, each of them cut where it leads down the file.

    `breaks`: the entries whose own word about their parent is of no use, and why; their parent here is None.
    """

    parents: list[int | None]
    breaks: dict[int, Break]
    groups: Groups


def ancestry(entries: Sequence[Entry], links: Links) -> Ancestry:
    """The parents of a session's entries."""
    parents: list[int | None] = []
    breaks: dict[int, Break] = {}
    for place, entry in enumerate(entries):
        parent = links.find(entry.parent_id, place)
        if parent is None and entry.parent_id is not None:
            breaks[place] = "missing-parent"
        elif parent == place:
            breaks[place] = "self-parent"
        parents.append(None if place in breaks else parent)
    groups = Groups(len(parents))
    # Parents that stand further down come last: a circle has one, and is cut there.
    for is_ahead in (False, True):
        for place, parent in enumerate(parents):
            if parent is not None and (parent > place) == is_ahead and not groups.join(place, parent):
                parents[place] = None
                breaks[place] = "cycle"
    return Ancestry(parents, breaks, groups)


def depth_first(parents: Sequence[int | None]) -> Iterator[tuple[int, bool]]:
    """Every place twice, before and after all that is below it, siblings in the file's order; True when before."""
    children: dict[int | None, list[int]] = {}
    for place, parent in enumerate(parents):
        children.setdefault(parent, []).append(place)
    todo = [(place, True) for place in reversed(children.get(None, ()))]
    while todo:
        place, entering = todo.pop()
        yield place, entering
        if entering:
            todo.append((place, False))
            todo += [(child, True) for child in reversed(children.get(place, ()))]
