"""The short form of each suite. `python tests/reliability --full` runs them in full size (RELIABILITY.md)."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TIMEOUT_S = 300


@pytest.mark.parametrize("suite", ["writers", "faults", "fuzz", "terminal", "memory"])
def test_nothing_is_lost_or_broken(suite: str) -> None:
    # In a process of its own: the suites fork, which one must not among the threads of a test run.
    done = subprocess.run(
        [sys.executable, str(HERE), suite], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{suite}: ")
