"""`python -m benchmarks`: measures every row of the table of targets and prints it with the figures filled in."""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import report
from benchmarks.inputs import FULL, QUICK, Inputs
from benchmarks.measure import Failed, Runner, compare
from benchmarks.programs import find_pi, find_pisess, find_rg, versions
from benchmarks.rows import Place, Row, rows

_SECONDS_A_ROW = 12
_FEWEST_ROUNDS = 3


def main() -> int:
    """Runs the command line; 1 if a row is above its limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer rounds")
    parser.add_argument("--only", metavar="TEXT", default="", help="only rows whose work has this text in it")
    parser.add_argument("--rounds", type=int, metavar="N", help="so many rounds of each row")
    parser.add_argument("--inputs", type=Path, metavar="DIR", help="keep the inputs here, and use those that are there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file too")
    parser.add_argument("--results", action="store_true", help="write the table into RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pisess-benchmarks-") as scratch:
        inputs = Inputs(options.inputs or Path(scratch), QUICK if options.quick else FULL)
        place = Place(inputs, find_pisess(), find_pi(), find_rg())
        about = report.machine(versions(place.pisess, place.pi, place.rg))
        if place.pi is None:
            print("no Pi: run the interop tests once, or set PI_NODE and PI_NODE_MODULES", file=sys.stderr)
        runner = Runner(inputs.home)
        most = options.rounds or (5 if options.quick else 15)
        results = []
        for row in rows(place):
            if options.only in row.work:
                results.append(_result(runner, row, most))
                print("  ".join(results[-1].cells()), file=sys.stderr)
    table = report.markdown(report.HEADINGS, [result.cells() for result in results])
    print(table, end="")
    if options.json:
        report.write_json(options.json, about, [result.as_json() for result in results])
    if options.results:
        report.write_section("Targets", about, table)
    return int(any(result.verdict == "FAIL" for result in results))


def _result(runner: Runner, row: Row, most: int) -> report.Result:
    if row.theirs is None:
        return report.Result(row, None)
    works = [row.ours, *([row.less] if row.less else []), row.theirs]
    try:
        once = sum(sample.wall for sample in runner.in_turn(works, 1)[0])
        found = compare(runner.in_turn(works, max(_FEWEST_ROUNDS, min(most, int(_SECONDS_A_ROW / once)))))
        if row.memory_limit is None:
            return report.Result(row, found)
        found = found._replace(memory=runner.memory(row.ours))
        against = row.memory_against or found.their_memory
        return report.Result(row, found, found.memory / against)
    except Failed as failure:
        return report.Result(row, None, fault=str(failure))


if __name__ == "__main__":
    sys.exit(main())
