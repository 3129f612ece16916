import os
import subprocess
import sys
from pathlib import Path

import pytest

from builder import session
from running import Pisess, unchanged

# What stands in for Pi says where it runs and with what.
STAND_IN = '#!/bin/sh\npwd -P\nprintf "<%s>" "$@"\n'


@pytest.fixture
def sessions(pisess: Pisess) -> Path:
    """A session directory with two sessions of the project, the second one newer."""
    folder = pisess.home / "sessions"
    folder.mkdir()
    pisess.env["PISESS_SESSION_DIR"] = str(folder)
    for number, name in enumerate(("older", "newer")):
        path = session(name, cwd=str(pisess.project)).user("hi").write(folder / f"{name}.jsonl")
        os.utime(path, (1000 + number, 1000 + number))
    return folder


@pytest.fixture
def pi(pisess: Pisess) -> Path:
    program = pisess.home / "bin" / "pi"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    pisess.env["PATH"] = f"{program.parent}:/usr/bin:/bin"
    return program


def run(pisess: Pisess, *args: object) -> subprocess.CompletedProcess[str]:
    """Runs it as a process of its own, which Pi takes over."""
    return subprocess.run(
        [sys.executable, "-m", "pisess_cli", *map(str, args)],
        env=pisess.env,
        cwd=pisess.home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_pi_starts_in_the_directory_of_the_session_with_its_file(pisess: Pisess, sessions: Path, pi: Path) -> None:
    with unchanged(sessions):
        done = run(pisess, "-C", pisess.project, "continue")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{pisess.project}\n<--session><{sessions}/newer.jsonl>"


def test_what_stands_behind_a_double_dash_goes_to_pi(pisess: Pisess, sessions: Path, pi: Path) -> None:
    done = run(pisess, "continue", "older", "--", "-p", "--", "and --now", "-s")

    assert done.stdout.endswith(f"<{sessions}/older.jsonl><-p><--><and --now><-s>")


def test_the_exit_code_is_that_of_pi(pisess: Pisess, sessions: Path, pi: Path) -> None:
    pi.write_text("#!/bin/sh\nexit 7\n")

    assert run(pisess, "continue", "older").returncode == 7


def test_the_path_alone_can_be_printed(pisess: Pisess, sessions: Path) -> None:
    with unchanged(pisess.home):
        assert pisess.ok("continue", "--print").line == str(sessions / "newer.jsonl")
        assert pisess.ok("continue", "--print", "@2").line == str(sessions / "older.jsonl")
        assert pisess.ok("-s", "older", "continue", "--print").line == str(sessions / "older.jsonl")


def test_a_directory_that_is_gone_is_told_with_what_helps(pisess: Pisess, pi: Path) -> None:
    pisess.use(session(cwd="/gone/for/good").user("hi"))

    said = pisess.fail("continue")

    assert "the session's directory is gone (/gone/for/good)" in said
    assert "hint: pisess mv --to DIR" in said


def test_a_session_without_a_directory_goes_on_here(pisess: Pisess, pi: Path) -> None:
    path = session(cwd=None).user("hi").write(pisess.home / "session.jsonl")

    assert run(pisess, "-s", path, "continue").stdout.startswith(f"{pisess.home}\n")


def test_without_pi_on_the_path_one_is_told_where_to_get_it(pisess: Pisess) -> None:
    pisess.use(session(cwd=str(pisess.project)).user("hi"))

    assert "pi is not on the PATH" in pisess.fail("continue", env={"PATH": str(pisess.home)})


def test_without_a_session_there_is_nothing_to_go_on_with(pisess: Pisess) -> None:
    assert "no session of this directory" in pisess.fail("continue", "--print")
    assert "unknown" in pisess.fail("continue", "--print", "unknown")


def test_what_is_no_session_is_not_given_to_pi(pisess: Pisess, pi: Path) -> None:
    (pisess.home / "notes.jsonl").write_text("my notes\n")

    assert "notes.jsonl" in pisess.fail("continue", pisess.home / "notes.jsonl")
