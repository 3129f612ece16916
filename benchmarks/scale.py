"""`python -m benchmarks.scale`: ten thousand sessions, and how each command grows with what it works on."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks import report, sessions
from benchmarks.inputs import FULL, Inputs
from benchmarks.measure import Failed, Runner, Work
from benchmarks.programs import find_pi, find_pisess, find_rg, versions
from benchmarks.rows import LINEAR, Place

_SESSIONS = 10_000
_ROUNDS = 3
_SESSION_BYTES = 50_000

_ON_LARGE_FILES = (
    "log -n 20",
    "log --all --graph",
    "show-context --json",
    "show-context --tokens",
    "branch --tree",
    "stats",
    "fsck",
    "export --format html",
    "export --all --format jsonl",
    "label point HEAD~2",
    "checkout HEAD~5",
    "edit HEAD^{toolResult} -m short",
    "compact -m short",
    "fork",
    "fork --at HEAD",
)
_ON_CHAINS = (
    "log --oneline",
    "log --all --graph",
    "show HEAD~1000",
    "show-context --json",
    "show-context --explain",
    "branch -v",
    "reflog",
    "diff HEAD~1000 HEAD",
    "rev-parse --all",
    "fsck",
    "export --format html",
    "checkout HEAD~1000",
    "compact -m short",
    "fork --at HEAD",
)
_ON_BRANCHES = (
    "log --all --graph --oneline",
    "branch",
    "branch -v",
    "branch --tree",
    "branch --contains HEAD~2",
    "rev-parse --all",
    "reflog",
    "stats",
    "fsck",
    "export --all --format html",
    "checkout --tip HEAD~2",
    "fork --at HEAD",
)
_ON_LABELS = (
    "log --oneline",
    "log --all --graph --oneline",
    "label",
    "show label7",
    "rev-parse --all",
    "branch -v",
    "label point HEAD~2",
    "label -d label7",
    "fork --at HEAD",
)
_ON_SESSIONS = ("find", f"find -F {sessions.NEEDLE}", "find --name part", "stats --all", "log -n 5 -s @1")


class Axis(NamedTuple):
    """What grows, from size to size by doubling, and the commands that are run on it."""

    name: str
    sizes: Sequence[int]
    commands: Sequence[str]
    work: Callable[[Place, int, str], Work]


def main() -> int:
    """Runs the command line; 1 if a command grows faster than what it works on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=5, metavar="N", help="size of the 10,000 sessions: 5")
    parser.add_argument("--inputs", type=Path, metavar="DIR", help="keep the inputs here, and use those that are there")
    parser.add_argument("--only", metavar="TEXT", default="", help="only axes whose name has this text in it")
    parser.add_argument("--results", action="store_true", help="write the tables into RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pisess-benchmarks-") as scratch:
        inputs = Inputs(options.inputs or Path(scratch), FULL)
        place = Place(inputs, find_pisess(), find_pi(), find_rg())
        about = report.machine(versions(place.pisess, place.pi, place.rg))
        runner = Runner(inputs.home)
        parts, failed = [], False
        if options.only in "ten thousand sessions":
            parts.append(_ten_thousand(runner, place, int(options.gigabytes * 1e9)))
        for axis in (axis for axis in AXES if options.only in axis.name):
            lines = list(_grow(runner, place, axis))
            failed = failed or any(line[-1] == "FAIL" for line in lines)
            headings = [axis.name, *map(_short, axis.sizes), "last doubling", "memory", ""]
            parts.append(report.markdown(headings, lines))
    body = "\n".join(parts)
    print(body, end="")
    if options.results:
        report.write_section("Scale", about, body)
    return int(failed)


def _ten_thousand(runner: Runner, place: Place, size: int) -> str:
    inputs = place.inputs
    folder = inputs.many(_SESSIONS, size)
    works: list[tuple[str, Work | None]] = [
        ("list, nothing cached", place.search("find", folder=folder, prepare=inputs.forget)),
        ("list, again", place.search("find", folder=folder)),
        ("list by name", place.search("find", "--name", "part 5", folder=folder)),
        ("`find` a word", place.search("find", "-F", sessions.NEEDLE, folder=folder)),
        ("`find -i` a word", place.search("find", "-i", sessions.NEEDLE.lower(), folder=folder)),
        ("`find -E` an expression", place.search("find", "-E", "needle[A-Z]{3}", folder=folder)),
        ("`stats --all`", place.search("stats", "--all", folder=folder)),
        ("newest session's `log -n 5`", place.search("-s", "@1", "log", "-n", "5", folder=folder)),
    ]
    if place.rg:
        works.append(("ripgrep, the same word", Work((place.rg, "-F", sessions.NEEDLE, folder))))
    if place.pi:
        listed = place.pi_does("list")
        env = {"PI_CODING_AGENT_DIR": str(folder.parent)}
        works.append(("Pi's list", listed and listed._replace(env={**listed.env, **env})))
    lines = [_line(runner, name, work) for name, work in works if work]
    gigabytes = sum(sessions.sizes(folder)) / 1e9
    return report.markdown([f"{_SESSIONS:,} sessions, {gigabytes:.1f} GB", "time", "memory"], lines)


def _line(runner: Runner, name: str, work: Work) -> list[str]:
    try:
        runner.once(work)
        wall = median(runner.once(work).wall for _ in range(_ROUNDS))
        return [name, f"{wall:.2f} s", f"{runner.memory(work) / 1e6:.0f} MB"]
    except Failed as failure:
        return [name, str(failure), ""]


def _grow(runner: Runner, place: Place, axis: Axis) -> Iterator[list[str]]:
    for command in axis.commands:
        print(f"{axis.name}: {command}", file=sys.stderr)
        try:
            works = [axis.work(place, size, command) for size in axis.sizes]
            rounds = runner.in_turn(works, _ROUNDS)
        except Failed as failure:
            yield [f"`{command}`", str(failure), *[""] * len(axis.sizes), "", "FAIL"]
            continue
        walls = [median(samples[place_].wall for samples in rounds) for place_ in range(len(works))]
        doubling = median(samples[-1].wall / samples[-2].wall for samples in rounds)
        memory = max(samples[-1].memory for samples in rounds)
        yield [
            f"`{command}`",
            *(f"{wall * 1000:.0f} ms" for wall in walls),
            f"{doubling:.2f}",
            f"{memory / 1e6:.0f} MB",
            "pass" if doubling <= LINEAR else "FAIL",
        ]


def _on(make: Callable[[Inputs, int], Path]) -> Callable[[Place, int, str], Work]:
    def work(place: Place, size: int, command: str) -> Work:
        path = make(place.inputs, size)
        name, *rest = command.split(" ")
        if name == "fork":
            out, clear = place.inputs.empty("out")
            return Work((place.pisess, "--session-dir", out, name, *rest, path), clear)
        copy, restore = place.inputs.copy(path)
        return place.run(command, on=copy, prepare=restore)

    return work


def _large(inputs: Inputs, megabytes: int) -> Path:
    return inputs.session(f"long-{megabytes}", lambda path: sessions.long_session(path, megabytes * 1_000_000))


def _in_sessions(place: Place, count: int, command: str) -> Work:
    return place.search(*command.split(" "), folder=place.inputs.many(count, count * _SESSION_BYTES))


AXES = (
    Axis("MB of a session", (25, 50, 100, 200), _ON_LARGE_FILES, _on(_large)),
    Axis("entries in a chain", (25_000, 50_000, 100_000, 200_000), _ON_CHAINS, _on(Inputs.chain)),
    Axis(
        "branches of 40,000 entries",
        (500, 1_000, 2_000, 4_000),
        _ON_BRANCHES,
        _on(lambda inputs, count: inputs.forked(40_000, count)),
    ),
    Axis(
        "labels on 40,000 entries",
        (2_500, 5_000, 10_000, 20_000),
        _ON_LABELS,
        _on(lambda inputs, count: inputs.forked(40_000, 2, count)),
    ),
    Axis("sessions", (1_000, 2_000, 4_000, 8_000), _ON_SESSIONS, _in_sessions),
)


def _short(size: int) -> str:
    return f"{size:,}"


if __name__ == "__main__":
    sys.exit(main())
