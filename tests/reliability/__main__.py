"""`python tests/reliability [SUITE...] [--full]`: runs the suites, all if none is named, and prints their figures.

Suites: writers, faults, fuzz, terminal, memory. In full they take from a minute to half an hour each; `writers` then
wants the real Pi, which PI_NODE and PI_NODE_MODULES name, `faults` strace, and `fuzz` atheris (`pip install atheris`).
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

SUITES = ("writers", "faults", "fuzz", "terminal", "memory")


def main() -> int:
    """Runs what the command line names; returns the exit code."""
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", choices=[*SUITES, []])
    parser.add_argument("--full", action="store_true", help="run them in full size")
    parser.add_argument("--seconds", type=int, help="how long fuzz looks with an eye on coverage")
    options = parser.parse_args()
    from reliability.bench import scratch_place

    for name in options.suites or SUITES:
        module = import_module(f"reliability.{name}")
        if options.seconds and name == "fuzz":
            module.FULL_SECONDS = options.seconds
        start = time.monotonic()
        with tempfile.TemporaryDirectory(dir=scratch_place()) as scratch:
            figures = _run(module.run, name, Path(scratch), full=options.full)
        told = ", ".join(f"{what}: {number:,}" for what, number in figures.items())
        print(f"{name}: {told} ({time.monotonic() - start:.0f} s)", flush=True)  # noqa: T201
    return 0


def _run(run: Callable[..., dict[str, int]], name: str, scratch: Path, *, full: bool) -> dict[str, int]:
    if name != "writers" or "PI_NODE" not in os.environ:
        return run(scratch, full=full)
    from reliability.writers import PiInstalled

    pi = PiInstalled(Path(os.environ["PI_NODE"]), Path(os.environ["PI_NODE_MODULES"]))
    return run(scratch, full=full, pi=pi)


if __name__ == "__main__":
    sys.exit(main())
