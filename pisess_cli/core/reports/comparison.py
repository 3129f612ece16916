"""What sets two points apart: what was done on each path since the two parted, and what the model would see."""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import takewhile, zip_longest
from typing import NamedTuple

from pisess_cli.core.context.file_lists import FileLists, FileOperations
from pisess_cli.core.context.projection import Projection, build_session_projection
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.format.content import called_tools
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import shown
from pisess_cli.core.reports.usage import usage_of
from pisess_cli.core.session.revisions import Point
from pisess_cli.core.session.session import Session


class Side(NamedTuple):
    """One of the points (`end` None: before the first entry), and the entries of its path since the paths parted."""

    session: Session
    end: Entry | None
    entries: list[Entry]

    @property
    def history(self) -> list[Entry]:
        """Those of the entries that a log shows."""
        return [entry for entry in self.entries if entry.is_history]

    @property
    def projection(self) -> Projection:
        """What the model would be sent at the point."""
        return build_session_projection(self.session.context_path(self.end))

    @property
    def context_tokens(self) -> int:
        """The estimate of all that the model would be sent, as `show-context --tokens` prints it."""
        return sum(map(estimate_tokens, self.projection.messages))


class Comparison(NamedTuple):
    """Two points, and the last entry that both paths hold, as the first one has it (None: there is none)."""

    ancestor: Entry | None
    one: Side
    other: Side

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands between the points."""
        return not self.one.entries and not self.other.entries


class Work(NamedTuple):
    """What was done in some entries.

    `turns` counts user messages, `entries` what a log shows, `tools` the calls of each tool, the most used first.
    `tokens` and `cost` are what it used, as Pi counts.
    """

    turns: int
    entries: int
    files: FileLists
    tools: dict[str, int]
    tokens: float
    cost: float


def compare(one: Point, other: Point) -> Comparison:
    """The two points, and their paths since the last entry that both hold.

    Sessions share entries where one was forked off the other, or both off a third: these have the same id and time. No
    more is read of the paths than it takes to find where they part.
    """
    met: tuple[dict[Hashable, Entry], dict[Hashable, Entry]] = ({}, {})
    common: Hashable = None
    for pair in zip_longest(one.session.walk(one.entry), other.session.walk(other.entry)):
        for side, entry in zip(met, pair, strict=True):
            if entry is not None:
                side[_identity(entry)] = entry
        keys = (_identity(entry) for entry in pair if entry is not None)
        common = next((key for key in keys if key in met[0] and key in met[1]), None)
        if common is not None:
            break
    since = [[side[key] for key in takewhile(lambda key: key != common, side)] for side in met]
    return Comparison(met[0].get(common), Side(*one, since[0][::-1]), Side(*other, since[1][::-1]))


def _identity(entry: Entry) -> Hashable:
    return entry.key, shown(entry.timestamp)


def work_of(entries: Iterable[Entry]) -> Work:
    """What was done in the entries."""
    turns = in_log = 0
    files = FileOperations()
    tools: Counter[str] = Counter()
    tokens: float = 0
    cost: float = 0
    for entry in entries:
        turns += entry.role == "user"
        in_log += entry.is_history
        if entry.type == "message":
            files.add_message(entry.message)
            tools.update(shown(call.get("name")) for call in called_tools(entry.message))
        used = usage_of(entry)
        if used is not None:
            tokens += used.tokens
            cost += used.cost
    return Work(turns, in_log, files.lists(), dict(tools.most_common()), tokens, cost)
