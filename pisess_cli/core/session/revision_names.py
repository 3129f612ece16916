"""From an entry to a revision that names it: the way back from `revisions`."""

from collections.abc import Iterator
from functools import cached_property

from pisess_cli.core.errors import NotFound, PisessError
from pisess_cli.core.format.entries import Entry, Key
from pisess_cli.core.session.branches import list_branches
from pisess_cli.core.session.labels import list_labels
from pisess_cli.core.session.revisions import Resolver
from pisess_cli.core.session.session import Session

ROOT = "ROOT"
"""What names the place before the first entry."""


def whole_id(entry: Entry | None) -> str:
    """The whole id of an entry, `ROOT` for None. Raises `NotFound` for an entry that has no id."""
    if entry is None:
        return ROOT
    if not isinstance(entry.id, str) or not entry.id:
        raise NotFound("the entry there has no id", hint="pisess fsck tells what is wrong with the file")
    return entry.id


def named_entries(session: Session) -> list[Entry]:
    """The tips of all branches, the current one first, then the labelled entries that are no tips, each once."""
    tips = [branch.tip for branch in list_branches(session)]
    labelled = [label.entry for label in list_labels(session) if label.entry is not None]
    return list({entry.key: entry for entry in (*tips, *labelled)}.values())


class Namer:
    """Finds names for entries of the resolver's session; None, the place before the first entry, is `ROOT`."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._session = resolver.session
        self._steps: dict[Key, int] = {}

    def short_id(self, entry: Entry | None, least: int) -> str:
        """The start of an entry's id that is enough to name it, of `least` characters or more."""
        whole = whole_id(entry)
        if entry is None or len(whole) <= least:
            return whole
        start = whole[:least]
        similar = [key for key in self._session.tree.by_id if isinstance(key, str) and key.startswith(start)]
        shared = max((_shared_length(whole, key) for key in similar if key != whole), default=0)
        short = whole[: max(least, shared + 1)]
        return short if self._names(short, entry) else whole

    def symbolic(self, entry: Entry | None) -> str:
        """What people would call an entry: its label, or how far it is from HEAD (`HEAD~3`), or else its id."""
        if entry is None:
            return ROOT
        label = self._session.label_of(entry)
        if label and isinstance(label.text, str):
            for name in (label.text, f"label:{label.text}"):
                if self._names(name, entry):
                    return name
        steps = self._steps_from_head(entry)
        if steps is None:
            return whole_id(entry)
        return f"HEAD~{steps}" if steps else "HEAD"

    def _names(self, text: str, entry: Entry) -> bool:
        try:
            if self._resolver.range(text):
                return False
            point = self._resolver.point(text)
        except PisessError:
            return False
        return point.session is self._session and point.entry is not None and point.entry.key == entry.key

    @cached_property
    def _upwards(self) -> Iterator[tuple[int, Entry]]:
        return enumerate(self._session.history(self._session.leaf))

    def _steps_from_head(self, entry: Entry) -> int | None:
        while entry.key not in self._steps:
            steps, above = next(self._upwards, (0, None))
            if above is None:
                return None
            self._steps.setdefault(above.key, steps)
        return self._steps[entry.key]


def _shared_length(one: str, other: str) -> int:
    places = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in places if a != b), min(len(one), len(other)))
