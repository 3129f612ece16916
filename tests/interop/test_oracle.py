"""answer.py, which speaks the oracle's protocol over pisess's core, answers as the real Pi does.

The oracle is not part of this repository: PISESS_ORACLE names its folder, or it stands at ../shared/oracle.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interop.pi import PiTree

HERE = Path(__file__).resolve().parent
ORACLE = Path(os.environ.get("PISESS_ORACLE", HERE.parents[2] / "shared" / "oracle"))
SEEDS = (70003, 70005, 70008, 70013, 70018, 70022)
"""Seeds of sessions on which Pi does not hang: each question about a cycle costs it ten seconds."""
TIMEOUT_S = 120

pytestmark = pytest.mark.skipif(not (ORACLE / "oracle.py").exists(), reason="the oracle is not there (PISESS_ORACLE)")


def oracle(*args: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", str(ORACLE / "oracle.py"), *map(str, args)]
    return subprocess.run(command, env=env, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False)


def assert_agreement(vectors: Path) -> None:
    done = oracle("compare", vectors, "--", sys.executable, HERE / "answer.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stored_answers_of_pi() -> None:
    assert_agreement(ORACLE / "vectors")


def test_the_answers_of_pi_about_sessions_that_are_not_stored(pi_tree: PiTree, tmp_path: Path) -> None:
    env = os.environ | {"PI_NODE": str(pi_tree.node), "PI_NODE_MODULES": str(pi_tree.modules)}

    for seed in SEEDS:
        oracle("vectors", tmp_path, seed, 1, env=env).check_returncode()

    assert_agreement(tmp_path)
