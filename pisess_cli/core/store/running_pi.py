"""Whether Pi itself is at work on a session: pisess may run inside its shell tool."""

import os
from collections.abc import Mapping
from pathlib import Path

from pisess_cli.core.errors import Refused


def is_run_by_pi(path: Path, environment: Mapping[str, str]) -> bool:
    """Whether the file is the session that Pi is at work on: it tells its shell tool in `PI_SESSION_FILE` (SPEC 2)."""
    inside = environment.get("PI_SESSION_FILE")
    return bool(inside) and os.path.realpath(inside or "") == os.path.realpath(path)


def refuse_to_move_leaf_of_pi(path: Path, environment: Mapping[str, str]) -> None:
    """Raises `Refused` for that session: Pi goes on from the leaf that it has in memory, whatever the file says."""
    if is_run_by_pi(path, environment):
        raise Refused(
            f"Pi is at work on this session and would go on from its own leaf ({path})",
            hint="use /tree or /compact in Pi, or do it when Pi has ended; -f does it all the same",
        )


def refuse_to_take_from_pi(path: Path, environment: Mapping[str, str]) -> None:
    """Raises `Refused` for that session: Pi would write on at the old place, without a header."""
    if is_run_by_pi(path, environment):
        raise Refused(
            f"Pi is at work on this session and would write on where it was ({path})", hint="do it when Pi has ended"
        )
