import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from builder import SessionBuilder, talk
from running import Pisess, unchanged

TIMEOUT_S = 30


@pytest.fixture
def sessions(pisess: Pisess) -> Path:
    directory = pisess.home / "sessions"
    directory.mkdir()
    pisess.env["PISESS_SESSION_DIR"] = str(directory)
    return directory


def put(sessions: Path, name: str, builder: SessionBuilder) -> Path:
    return builder.write(sessions / f"{name}.jsonl")


def trashed(pisess: Pisess) -> list[str]:
    return sorted(path.name for path in (pisess.home / ".local/share/Trash/files").glob("*"))


def rm(pisess: Pisess, *args: object) -> subprocess.CompletedProcess[str]:
    """Runs it as a process of its own: what moves files to the trash finds that when it is imported."""
    return subprocess.run(
        [sys.executable, "-m", "pisess_cli", "rm", *map(str, args)],
        env=pisess.env,
        cwd=pisess.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def rm_at_terminal(pisess: Pisess, *args: object, typed: str) -> str:
    """Runs it on a terminal where that is typed; gives what was to be seen there."""
    keyboard, terminal = pty.openpty()
    os.write(keyboard, typed.encode())
    process = subprocess.Popen(
        [sys.executable, "-m", "pisess_cli", "rm", *map(str, args)],
        env=pisess.env,
        cwd=pisess.project,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    seen = b""
    try:
        # Reading from a terminal that nobody has open any more is an error.
        while select.select([keyboard], [], [], TIMEOUT_S)[0] and (part := os.read(keyboard, 4096)):
            seen += part
    except OSError:
        pass
    os.close(keyboard)
    assert process.wait(TIMEOUT_S) == 0, seen
    return seen.decode()


def test_forced_it_moves_sessions_to_the_trash_without_asking(pisess: Pisess, sessions: Path) -> None:
    one, two = put(sessions, "one", talk()), put(sessions, "two", talk())

    done = rm(pisess, "-f", one, two)

    assert (done.returncode, done.stdout) == (0, "")
    assert trashed(pisess) == ["one.jsonl", "two.jsonl"]
    assert list(sessions.iterdir()) == []


def test_what_is_in_the_trash_is_whole(pisess: Pisess, sessions: Path) -> None:
    rm(pisess, "-f", put(sessions, "one", talk()))

    assert (pisess.home / ".local/share/Trash/files/one.jsonl").read_bytes() == talk().data


def test_on_a_terminal_it_names_the_session_and_asks(pisess: Pisess, sessions: Path) -> None:
    path = put(sessions, "one", talk().name("parser\x1b[31m"))

    seen = rm_at_terminal(pisess, path, typed="y\n")

    assert "parser␛[31m" in seen
    assert "in /home/me/app, 9 messages, last change " in seen
    assert str(path) in seen
    assert trashed(pisess) == ["one.jsonl"]


def test_a_no_leaves_that_session_where_it_is(pisess: Pisess, sessions: Path) -> None:
    one, two = put(sessions, "one", talk()), put(sessions, "two", talk())

    rm_at_terminal(pisess, one, two, typed="n\ny\n")

    assert one.exists()
    assert trashed(pisess) == ["two.jsonl"]


@pytest.mark.parametrize("typed", ["\n", "n\n"])
def test_nothing_but_yes_is_a_yes(pisess: Pisess, sessions: Path, typed: str) -> None:
    path = put(sessions, "one", talk())

    rm_at_terminal(pisess, path, typed=typed)

    assert path.exists()


def test_without_a_terminal_it_does_nothing_unless_forced(pisess: Pisess, sessions: Path) -> None:
    path = put(sessions, "one", talk())

    with unchanged(pisess.home):
        told = pisess.fail("rm", path, stdin=b"y\n")

    assert "-f does not ask" in told


def test_inside_pi_the_session_that_it_is_at_work_on_stays_even_if_forced(pisess: Pisess, sessions: Path) -> None:
    other, running = put(sessions, "other", talk()), put(sessions, "running", talk())

    with unchanged(pisess.home):
        told = pisess.fail("rm", "-f", other, running, env={"PI_SESSION_FILE": str(running)})

    assert "Pi is at work on this session" in told


def test_a_name_that_fits_nothing_keeps_the_others(pisess: Pisess, sessions: Path) -> None:
    path = put(sessions, "one", talk())

    with unchanged(pisess.home):
        pisess.fail("rm", "-f", path, "nothing-of-that-name")


def test_a_file_that_is_no_session_is_not_removed(pisess: Pisess, sessions: Path) -> None:
    file = sessions / "x.jsonl"
    file.write_text("precious\n")

    with unchanged(pisess.home):
        assert "not a session" in pisess.fail("rm", "-f", file)
