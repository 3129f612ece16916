"""answer.py, which speaks the oracle's protocol over pisess's core, answers as the real Pi does.

The oracle is not part of this repository: PISESS_ORACLE names its folder, or it stands at ../shared/oracle.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from interop.pi import PiTree

HERE = Path(__file__).resolve().parent
ORACLE = Path(os.environ.get("PISESS_ORACLE", HERE.parents[2] / "shared" / "oracle"))
FRESH = 6
TIMEOUT_S = 120

pytestmark = pytest.mark.skipif(not (ORACLE / "oracle.py").exists(), reason="the oracle is not there (PISESS_ORACLE)")


def oracle(*args: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", str(ORACLE / "oracle.py"), *map(str, args)]
    return subprocess.run(command, env=env, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False)


def assert_agreement(vectors: Path) -> None:
    done = oracle("compare", vectors, "--", sys.executable, HERE / "answer.py")
    assert done.returncode == 0, done.stdout + done.stderr


def hangs_pi(seed: int) -> bool:
    """Tell whether the seed's session holds an entry that is its own parent: each question about it costs Pi 10 s."""
    command = [sys.executable, "-B", str(ORACLE / "gen_sessions.py"), str(seed)]
    for line in subprocess.run(command, capture_output=True, check=True).stdout.split(b"\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("id") is not None and entry.get("id") == entry.get("parentId"):
            return True
    return False


def test_the_stored_answers_of_pi() -> None:
    assert_agreement(ORACLE / "vectors")


def test_the_answers_of_pi_about_sessions_never_seen_before(pi_tree: PiTree, tmp_path: Path) -> None:
    env = os.environ | {"PI_NODE": str(pi_tree.node), "PI_NODE_MODULES": str(pi_tree.modules)}
    seeds = [seed for seed in random.sample(range(10**6, 10**9), 3 * FRESH) if not hangs_pi(seed)][:FRESH]

    for seed in seeds:
        oracle("vectors", tmp_path, seed, 1, env=env).check_returncode()

    assert_agreement(tmp_path)
