"""The shape of a whole session: its history as runs of entries between forks, and that folded to fewer lines."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from pisess_cli.core.format.entries import Entry, Key, Label
from pisess_cli.core.reports.usage import usage_of
from pisess_cli.core.session.session import Session
from pisess_cli.core.tree.history import History


class Tally(NamedTuple):
    """What entries come to: how many there are, a user's messages and compactions among them, dollars."""

    entries: int = 0
    turns: int = 0
    compactions: int = 0
    cost: float = 0.0

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            self.entries + other.entries,
            self.turns + other.turns,
            self.compactions + other.compactions,
            self.cost + other.cost,
        )


class Run(NamedTuple):
    """History entries in a row, without a fork between them.

    Runs of one line of descent stand in one lane, `depth`; a branch beside it `begins` one lane further in. `has_head`:
    the newest entry of the current path is among them; `on_path`: they lead to it. `folded` is how many branches beside
    this run are not shown, `folded_tally` what those come to.
    """

    depth: int
    begins: bool
    first: Entry
    last: Entry
    tally: Tally
    labels: tuple[Label, ...]
    has_head: bool
    on_path: bool
    folded: int = 0
    folded_tally: Tally = Tally()


def outline(session: Session) -> list[Run]:
    """The runs of a session, oldest first, each root with what is below it; at a fork the branches before the line.

    The line goes on to HEAD, else to where most entries are, so that few branches are nested, however many there are.
    What bookkeeping entries cost counts for the run that they hang below. All runs together cost what the session did.
    """
    history = History(session.tree)
    details = _Details(session, history)
    sizes = _sizes(history)
    runs: list[Run] = []
    todo = [(0, True, root) for root in reversed(history.children(None))]
    while todo:
        depth, begins, first = todo.pop()
        chain = [first]
        while len(children := history.children(chain[-1])) == 1:
            chain.append(children[0])
        runs.append(details.run(depth, chain, begins=begins))
        if children:
            onward = max(children, key=lambda child: (child.key in details.path, sizes[child.key]))
            todo.append((depth, False, onward))
            todo += [(depth + 1, True, child) for child in reversed(children) if child is not onward]
    return runs


def _sizes(history: History) -> dict[Key, int]:
    # How many entries each one and what is below it are.
    found: list[Entry] = []
    todo = list(history.children(None))
    while todo:
        entry = todo.pop()
        found.append(entry)
        todo += history.children(entry)
    sizes: dict[Key, int] = {}
    for entry in reversed(found):
        sizes[entry.key] = 1 + sum(sizes[child.key] for child in history.children(entry))
    return sizes


class _Details:
    # What the entries of a run say and cost, gathered in one pass over the file.
    def __init__(self, session: Session, history: History) -> None:
        self._head = session.head.key if session.head else None
        self.path = {entry.key for entry in session.history(session.leaf)}
        self._costs: dict[Key, float] = {}
        self._labels: dict[Key, list[Label]] = {}
        shown = {entry.key for entry in history.entries}
        first = history.entries[0] if history.entries else None

        def place(key: Key) -> Key:
            # The entry of the history that something counts for: itself, the one above it, or the first.
            if key in shown:
                return key
            entry = history.parent(session.tree.by_id[key]) or first
            return entry.key if entry else None

        for entry in session.tree.entries:
            used = usage_of(entry)
            if used is not None:
                at = place(entry.key)
                self._costs[at] = self._costs.get(at, 0) + used.cost
        for key, label in session.tree.labels.items():
            if key in session.tree.by_id:
                self._labels.setdefault(place(key), []).append(label)

    def run(self, depth: int, chain: Sequence[Entry], *, begins: bool) -> Run:
        tally = Tally(
            len(chain),
            sum(entry.role == "user" for entry in chain),
            sum(entry.type == "compaction" for entry in chain),
            sum(self._costs.get(entry.key, 0) for entry in chain),
        )
        labels = tuple(label for entry in chain for label in self._labels.get(entry.key, ()))
        has_head = any(entry.key == self._head for entry in chain)
        return Run(depth, begins, chain[0], chain[-1], tally, labels, has_head, chain[0].key in self.path)


class _Branch(NamedTuple):
    # A branch beside a line: the place behind its last run, how many branches it is with those beside it, what they
    # come to, and how dear it is: branches with labels are dearer than those without.
    end: int
    branches: int
    tally: Tally
    rank: tuple[bool, int]


def fold(runs: Sequence[Run], limit: int) -> list[Run]:
    """The runs with so many branches folded away that `limit` lines are enough: small ones first, labelled ones last.

    The line that leads to HEAD stays.
    """
    branches = _foldable(runs)
    ranks = sorted({(False, 0), *(branch.rank for branch in branches.values())})
    enough = bisect_left(ranks, True, hi=len(ranks) - 1, key=lambda rank: len(_folded(runs, branches, rank)) <= limit)
    return _folded(runs, branches, ranks[enough])


class _Open:
    # A branch whose end was not met yet.
    def __init__(self, start: int, depth: int) -> None:
        self.start = start
        self.depth = depth
        self.branches = 1
        self.tally = Tally()
        self.has_label = False
        self.stays = depth == 0

    def ends_before(self, run: Run) -> bool:
        return run.depth < self.depth or (run.depth == self.depth and run.begins)

    def add(self, run: Run) -> None:
        self.tally = self.tally.plus(run.tally)
        self.has_label = self.has_label or bool(run.labels)
        self.stays = self.stays or run.on_path

    def take_in(self, inner: "_Open") -> None:
        self.branches += inner.branches
        self.tally = self.tally.plus(inner.tally)
        self.has_label = self.has_label or inner.has_label
        self.stays = self.stays or inner.stays


def _foldable(runs: Sequence[Run]) -> dict[int, _Branch]:
    # By the place where each begins.
    found: dict[int, _Branch] = {}
    opened: list[_Open] = []

    def close(place: int) -> None:
        closed = opened.pop()
        if not closed.stays:
            rank = (closed.has_label, closed.tally.entries)
            found[closed.start] = _Branch(place, closed.branches, closed.tally, rank)
        if opened:
            opened[-1].take_in(closed)

    for place, run in enumerate(runs):
        while opened and opened[-1].ends_before(run):
            close(place)
        if run.begins:
            opened.append(_Open(place, run.depth))
        opened[-1].add(run)
    while opened:
        close(len(runs))
    return found


def _folded(runs: Sequence[Run], branches: dict[int, _Branch], most: tuple[bool, int]) -> list[Run]:
    # Branches up to a rank are counted in the run that they forked off from; runs that then meet become one.
    shown: list[Run] = []
    newest_at: dict[int, int] = {}
    place = 0
    while place < len(runs):
        run = runs[place]
        branch = branches.get(place)
        if branch and branch.rank <= most:
            beside = newest_at[run.depth - 1]
            shown[beside] = shown[beside]._replace(
                folded=shown[beside].folded + branch.branches,
                folded_tally=shown[beside].folded_tally.plus(branch.tally),
            )
            place = branch.end
            continue
        if not run.begins and newest_at[run.depth] == len(shown) - 1:
            shown[-1] = _joined(shown[-1], run)
        else:
            newest_at[run.depth] = len(shown)
            shown.append(run)
        place += 1
    return shown


def _joined(above: Run, below: Run) -> Run:
    return above._replace(
        last=below.last,
        tally=above.tally.plus(below.tally),
        labels=above.labels + below.labels,
        has_head=above.has_head or below.has_head,
    )
