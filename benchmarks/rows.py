"""The table of targets: each row is a piece of work, what it is held against, and what it may take of that at most."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.inputs import EXPORTED_ENTRIES, FULL, Inputs
from benchmarks.measure import Work
from benchmarks.programs import HERE, Pi, path_without
from benchmarks.sessions import NEEDLE, sizes

LINEAR = 2.3
"""What twice the input may take at most: twice the time, and a little for noise."""

_EVERY_COMMAND = (
    "log --oneline",
    "log --all --graph",
    "log --json --full",
    "show HEAD~1000",
    "show-context --json",
    "show-context --explain",
    "branch -v",
    "branch --tree",
    "label",
    "reflog",
    "stats",
    "stats --branch",
    "diff HEAD~1000 HEAD",
    "rev-parse --all",
    "fsck",
    "export --format markdown",
    "export --format html",
    "export --format jsonl",
    "undo --dry-run",
)
_EVERY_WRITER = (
    "label point HEAD~1000",
    "name benchmark",
    "checkout HEAD~1000",
    "checkout --tip HEAD~1000",
    "edit HEAD~10 -m short",
    "compact -m short",
)
_READ_FROM_THE_END = ("log -n 20", "show", "show HEAD~3", "continue --print", "name")
_WRITTEN_AT_THE_END = ("label point HEAD~2", "name benchmark", "checkout HEAD~5")
# An edit reads the context, which is larger in the long session.
_EDIT = "edit HEAD^{toolResult} -m short"


class Row(NamedTuple):
    """A piece of work against another one; `less` is run in each round too and taken off ours.

    `limit` is the ratio of times at most, None where the row only informs. `memory_limit` is that of memory, against
    theirs or against `memory_against` bytes. `theirs` is None where the program for it is not there.
    """

    work: str
    against: str
    limit: float | None
    ours: Work
    theirs: Work | None
    less: Work | None = None
    memory_limit: float | None = None
    memory_against: int | None = None


class Place(NamedTuple):
    """What the rows are made from."""

    inputs: Inputs
    pisess: Path
    pi: Pi | None
    rg: Path | None

    def run(self, words: str, *, on: Path | None = None, prepare: Callable[[], object] = lambda: None) -> Work:
        """A pisess command on a session."""
        session = () if on is None else ("-s", on)
        return Work((self.pisess, *session, *words.split(" ")), prepare, {"XDG_CACHE_HOME": str(self.inputs.cache)})

    def search(
        self,
        *words: str | Path,
        folder: Path | None = None,
        prepare: Callable[[], object] = lambda: None,
        path: str = "",
    ) -> Work:
        """A pisess command on all sessions, or on those of another folder; `path` is its PATH."""
        env = {"XDG_CACHE_HOME": str(self.inputs.cache)} | ({"PATH": path} if path else {})
        return Work((self.pisess, "--session-dir", folder or self.inputs.many(), *words), prepare, env)

    def pi_does(self, *words: str | Path, prepare: Callable[[], object] = lambda: None) -> Work | None:
        """An operation of the real Pi."""
        if self.pi is None:
            return None
        env = {"PI_NODE_MODULES": str(self.pi.modules), "PI_CODING_AGENT_DIR": str(self.inputs.many().parent)}
        return Work((self.pi.node, HERE / "pi_ops.mjs", *words), prepare, env)


def rows(place: Place) -> Iterator[Row]:
    """All rows, made one after the other."""
    yield from _starts(place)
    yield from _ends(place)
    yield from _wholes(place)
    yield from _lists(place)
    yield from _copies(place)
    yield from _chains(place)
    yield from _twice(place)


def _starts(place: Place) -> Iterator[Row]:
    click = Work((sys.executable, "-c", "import click"))
    for words in ("--version", "--help", "__complete alias lo"):
        yield Row(f"`{words}`", "`python -c 'import click'`", 1.25, place.run(words), click)
    pi = Work((place.pi.node, place.pi.cli, "--version")) if place.pi else None
    log = place.run("log -n 20", on=place.inputs.short)
    yield Row("`log -n 20` of a short session", "`pi --version`", 0.13, log, pi)


def _ends(place: Place) -> Iterator[Row]:
    inputs = place.inputs
    (long, restore_long), (short, restore_short) = inputs.copy(inputs.long), inputs.copy(inputs.short)
    for words in _READ_FROM_THE_END:
        yield _long_against_short(words, place.run(words, on=inputs.long), place.run(words, on=inputs.short))
    for words in (*_WRITTEN_AT_THE_END, _EDIT):
        row = _long_against_short(
            words,
            place.run(words, on=long, prepare=restore_long),
            place.run(words, on=short, prepare=restore_short),
        )
        yield row if words != _EDIT else row._replace(limit=None)
    for words in ("name", *_WRITTEN_AT_THE_END):
        row = _long_against_short(
            words,
            place.run(words, on=long, prepare=_each(inputs.forget, restore_long)),
            place.run(words, on=short, prepare=_each(inputs.forget, restore_short)),
        )
        yield row._replace(work=f"{row.work}, nothing cached")


def _each(*steps: Callable[[], object]) -> Callable[[], None]:
    def do() -> None:
        for step in steps:
            step()

    return do


def _long_against_short(words: str, long: Work, short: Work) -> Row:
    return Row(f"`{words}` of the long session", "a short one", 1.5, long, short)


def _wholes(place: Place) -> Iterator[Row]:
    inputs = place.inputs
    opened = place.pi_does("open", inputs.long)
    context = place.run("show-context --json", on=inputs.long)
    yield Row("`show-context --json` of the long session", "Pi opens it", 0.35, context, opened, memory_limit=1.0)
    graph = place.run("log --all --graph", on=inputs.long)
    yield Row("`log --all --graph` of the long session", "Pi opens it", 0.9, graph, opened)
    copy, restore = inputs.copy(inputs.long)
    compact = place.run("compact -m short", on=copy, prepare=restore)
    yield Row("`compact -m` of the long session", "Pi opens it", 0.5, compact, opened)


def _lists(place: Place) -> Iterator[Row]:
    inputs = place.inputs
    pi = place.pi_does("list")
    yield Row(
        "list of all sessions, nothing cached", "Pi's list", 0.25, place.search("find", prepare=inputs.forget), pi
    )
    yield Row("the same, again", "Pi's list", 0.1, place.search("find"), pi)
    # What starting takes weighs more where there is less to search.
    is_full = inputs.size is FULL
    version = place.run("--version")
    searches = (
        (4.0, ("-F", NEEDLE), ("-F", NEEDLE)),
        (8.0, ("-i", NEEDLE.lower()), ("-F", "-i", NEEDLE.lower())),
        (8.0, ("-E", "needle[A-Z]{3}"), ("needle[A-Z]{3}",)),
    )
    for limit, words, rg_words in searches:
        theirs = Work((place.rg, *rg_words, inputs.many())) if place.rg else None
        name = f"`find {' '.join(words)}`"
        yield Row(name, "ripgrep", limit if is_full else None, place.search("find", *words), theirs, version)
        bare = place.search("find", *words, path=path_without("rg"))
        yield Row(f"{name}, no ripgrep on PATH", "ripgrep", None, bare, theirs, version)
    folder = inputs.many_and_long()
    yield Row(
        "`find` over all sessions and the long one",
        "ripgrep",
        None,
        place.search("find", "-F", NEEDLE, folder=folder),
        Work((place.rg, "-F", NEEDLE, folder)) if place.rg else None,
        version,
        memory_limit=2.5,
        memory_against=max(sizes(folder)),
    )


def _copies(place: Place) -> Iterator[Row]:
    inputs = place.inputs
    out, clear = inputs.empty("out")
    to_out = ("--session-dir", out)
    fork = Work((place.pisess, *to_out, "fork", inputs.long), clear)
    copy = Work(("cp", inputs.long, out / "copy"), clear)
    limit = 2.0 if inputs.size is FULL else None
    yield Row("`fork` of the long session", "`cp`", limit, fork, copy, place.run("--version"))
    path = Work((place.pisess, *to_out, "fork", "--at", "HEAD", inputs.long), clear)
    theirs = place.pi_does("path", inputs.long, out, prepare=clear)
    yield Row("`fork --at` of the long session", "Pi's path alone", 0.5, path, theirs)


def _chains(place: Place) -> Iterator[Row]:
    inputs = place.inputs
    entries = inputs.size.chain
    long, short = inputs.chain(entries), inputs.chain(entries // 2)
    against = f"one of {entries // 2:,}"
    for words in _EVERY_COMMAND:
        yield Row(
            f"`{words}` of a chain of {entries:,}",
            against,
            LINEAR,
            place.run(words, on=long),
            place.run(words, on=short),
        )
    (long, restore_long), (short, restore_short) = inputs.copy(long), inputs.copy(short)
    for words in _EVERY_WRITER:
        yield Row(
            f"`{words}` of a chain of {entries:,}",
            against,
            LINEAR,
            place.run(words, on=long, prepare=restore_long),
            place.run(words, on=short, prepare=restore_short),
        )
    out, clear = inputs.empty("out")
    for fork in (("fork",), ("fork", "--at", "HEAD")):
        yield Row(
            f"`{' '.join(fork)}` of a chain of {entries:,}",
            against,
            LINEAR,
            Work((place.pisess, "--session-dir", out, *fork, inputs.chain(entries)), clear),
            Work((place.pisess, "--session-dir", out, *fork, inputs.chain(entries // 2)), clear),
        )


def _twice(place: Place) -> Iterator[Row]:
    inputs = place.inputs
    large, small = inputs.forked(EXPORTED_ENTRIES, 2), inputs.forked(EXPORTED_ENTRIES // 2, 2)
    out, clear = inputs.empty("out")
    for words in (
        "diff HEAD HEAD~200",
        "diff --context HEAD HEAD~200",
        "export --all --format markdown",
        "export --all --format html",
        "export --all --format jsonl",
        f"prune --keep HEAD -o {out}/pruned.jsonl",
    ):
        name = words.partition(" -o")[0]
        ours, theirs = (place.run(words, on=path, prepare=clear) for path in (large, small))
        yield Row(f"`{name}` of {EXPORTED_ENTRIES:,} entries", f"of {EXPORTED_ENTRIES // 2:,}", LINEAR, ours, theirs)
    count = inputs.size.sessions
    ours, theirs = (
        Work((place.pisess, "--session-dir", inputs.many(part), "stats", "--all")) for part in (count, count // 2)
    )
    yield Row(f"`stats --all` of {count:,} sessions", f"of {count // 2:,}", LINEAR, ours, theirs)
