"""ripgrep as the first sieve, where it is on the PATH: it looks through files with all processors at once."""

import os
from collections.abc import Sequence
from pathlib import Path

from pisess_cli.core.search.sieve import Sieve

_COMMAND = ("rg", "--no-config", "--no-messages", "--files-with-matches", "--null", "--text", "--encoding=none")
_NOTHING_FOUND = 1


def files_that_pass(paths: Sequence[Path], sieve: Sieve) -> list[Path] | None:
    """The files with a line that passes the sieve, in their order; None if ripgrep is not there or has trouble."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 - no shell, and what is not ours stands behind "-e" and "--"
            [*_COMMAND, "-e", sieve.pattern, "--", *paths],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, ValueError):
        return None
    if done.returncode not in (0, _NOTHING_FOUND):
        return None
    names = set(done.stdout.split(b"\0")[:-1])
    found = [path for path in paths if os.fsencode(path) in names]
    return found if len(found) == len(names) else None
