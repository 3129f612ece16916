"""Runs command lines one after the other, in this one process, on the terminal that it was started on.

The argument is a JSON list of command lines. Before each its number is printed, so that what follows can be told apart.
"""

import json
import os
import sys

from pisess_cli.cli import run

MARK = "== command "


def main() -> None:
    """Runs all of them, whatever becomes of each."""
    for number, words in enumerate(json.loads(sys.argv[1])):
        os.write(1, f"\n{MARK}{number}\n".encode())
        if words[0] == "__complete":
            from pisess_cli.complete import main as complete

            complete(words[1:])
        else:
            run(words)
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    main()
