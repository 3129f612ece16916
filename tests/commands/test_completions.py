"""`pisess completions`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from running import Pisess

ROOT = Path(__file__).parents[2]
FILES = {"bash": "pisess.bash", "zsh": "_pisess", "fish": "pisess.fish"}
ASKED = {
    "bash": 'eval "$({pisess} completions bash)" && complete -p pisess',
    "zsh": 'autoload -Uz compinit && compinit -D -u && eval "$({pisess} completions zsh)" && print $_comps[pisess]',
    "fish": "{pisess} completions fish | source && complete -C 'pisess checko'",
}
KNOWN = {"bash": "-F _pisess pisess", "zsh": "_pisess", "fish": "checkout"}


@pytest.mark.parametrize("shell", FILES)
def test_the_script_of_a_shell_is_printed(pisess: Pisess, shell: str) -> None:
    script = pisess.ok("completions", shell).out

    assert script == (ROOT / "completions" / FILES[shell]).read_text(encoding="utf-8")


@pytest.mark.parametrize("shell", FILES)
def test_a_shell_that_reads_what_is_printed_completes_pisess(tmp_path: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        reason = f"{shell} is not installed"
        pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)

    asked = subprocess.run(
        [program, "-c", ASKED[shell].format(pisess=f"{sys.executable} -m pisess_cli")],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )

    assert KNOWN[shell] in asked.stdout


def test_another_shell_is_wrong_usage(pisess: Pisess) -> None:
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in pisess.fail("completions", "tcsh", code=2)
