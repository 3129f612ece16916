"""Runs command lines without the rights to write, even for root, and prints how each ended as JSON lines.

Arguments: the home, the session file, and a JSON list of command lines. What they need is imported before the rights
are given up: the modules may stand where nobody else can read.
"""

import json
import os
import sys
from pathlib import Path

from reliability.here import environment_of, inside, run_here

NOBODY = 65534


def main(home: Path, file: Path, lines: list[list[str]]) -> None:
    """Runs all of them twice: to try, with what that writes thrown away by a child's end, and without rights."""
    copy = home / "copy.jsonl"
    copy.write_bytes(file.read_bytes())
    with inside(home, environment_of(home, PISESS_SESSION_DIR=str(home / "tried"))):
        for words in lines:
            run_here(["-s", str(copy), *words])
    copy.unlink()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    with inside(home, environment_of(home, PISESS_SESSION_DIR=str(file.parent))):
        outcomes = [run_here(["-s", str(file), *words]) for words in lines]
    for outcome in outcomes:
        print(json.dumps([outcome.code, outcome.out.decode(), outcome.err.decode()]))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
