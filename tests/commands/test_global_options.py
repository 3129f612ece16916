import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import IO

import pytest

from builder import session, talk
from pisess_cli import __version__
from pisess_cli.cli import COMMANDS
from running import Pisess, unchanged

TIMEOUT_S = 60


def start(pisess: Pisess, *args: object, **how: object) -> subprocess.Popen[bytes]:
    """Starts it as a process of its own."""
    settings: dict[str, object] = {
        "env": pisess.env,
        "cwd": pisess.project,
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    command = [sys.executable, "-m", "pisess_cli", *map(str, args)]
    return subprocess.Popen(command, **(settings | how))  # type: ignore[call-overload, no-any-return]  # keywords


@contextmanager
def started(pisess: Pisess, *args: object) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """A process, its stdout and its stderr; it does not outlive the block, nor the time that it has."""
    with start(pisess, *args) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        deadline = Timer(TIMEOUT_S, process.kill)
        deadline.start()
        try:
            yield process, process.stdout, process.stderr
        finally:
            deadline.cancel()
            process.kill()


def run(pisess: Pisess, *args: object, **how: object) -> tuple[int, bytes, bytes]:
    with start(pisess, *args, **how) as process:
        out, err = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, out, err


def saying(pisess: Pisess, folder: Path, name: str, *, age: int = 0) -> Path:
    """A session of the project that says its name, and was modified so many seconds before others."""
    path = session(name, cwd=str(pisess.project)).user(name).write(folder / f"{name}.jsonl")
    os.utime(path, (10_000 - age, 10_000 - age))
    return path


def said(pisess: Pisess, *args: object) -> str:
    return pisess.ok(*args, "show", "--raw").line


# Which session.


def test_a_session_is_named_before_or_behind_the_command(pisess: Pisess) -> None:
    path = session().user("hi").write(pisess.home)

    assert pisess.ok("-s", path, "show", "--raw").line == "hi"
    assert pisess.ok("show", "--raw", "-s", path).line == "hi"
    assert pisess.ok("show", f"--session={path}", "--raw").line == "hi"


def test_of_two_names_the_last_counts(pisess: Pisess) -> None:
    one, other = saying(pisess, pisess.home, "one"), saying(pisess, pisess.home, "other")

    assert pisess.ok("-s", one, "show", "--raw", "-s", other).line == "other"


def test_without_a_name_it_is_the_newest_session_of_the_directory(pisess: Pisess) -> None:
    folder = pisess.home / "sessions"
    folder.mkdir()
    saying(pisess, folder, "older", age=5)
    saying(pisess, folder, "newer")
    session("foreign", cwd="/elsewhere").user("foreign").write(folder / "foreign.jsonl")

    assert said(pisess, "--session-dir", folder) == "newer"
    assert said(pisess, "--session-dir", folder, "-s", "@2") == "older"
    assert said(pisess, "--session-dir", folder, "-s", "foreign") == "foreign"


def test_inside_of_pi_it_is_the_session_of_pi(pisess: Pisess) -> None:
    path = session().user("of pi").write(pisess.home)

    assert pisess.ok("show", "--raw", env={"PI_SESSION_FILE": str(path)}).line == "of pi"


@pytest.mark.parametrize("command", [["log"], ["branch", "-v"], ["reflog"], ["label"]])
def test_in_a_pipe_dates_are_the_same_at_any_time(pisess: Pisess, command: list[str]) -> None:
    pisess.use(talk().label("mark").checkout("Rewrite it."))

    shown = pisess.ok(*command).out

    assert shown == pisess.ok(*command, "--date", "iso").out
    assert shown != pisess.ok(*command, "--date", "relative").out


def test_an_empty_name_of_a_session_is_not_the_newest_one(pisess: Pisess) -> None:
    saying(pisess, pisess.home, "newest")

    assert "no session has that id or name" in pisess.fail("--session-dir", pisess.home, "-s", "", "log")


def test_where_there_is_none_that_is_said_with_what_helps(pisess: Pisess) -> None:
    result = pisess.fail("log")

    assert "no session of this directory" in result
    assert "hint: " in result


def test_an_unknown_session_is_an_error(pisess: Pisess) -> None:
    assert "no session has that id or name (nobody)" in pisess.fail("-s", "nobody", "log")
    assert "gone.jsonl" in pisess.fail("-s", "gone.jsonl", "log")


# Where.


def test_one_can_act_as_if_started_elsewhere(pisess: Pisess) -> None:
    session().user("hi").write(pisess.home / "here.jsonl")

    assert pisess.ok("-C", pisess.home, "-s", "here.jsonl", "show", "--raw").line == "hi"
    assert pisess.ok("-C", "..", "show", "--raw", "-s", "here.jsonl").line == "hi"


@pytest.mark.parametrize("directory", ["/nowhere", "/dev/null", "no\nwhere"])
def test_a_directory_that_is_none_is_an_error(pisess: Pisess, directory: str) -> None:
    assert "no such directory" in pisess.fail("-C", directory, "log")


def test_a_directory_that_was_removed_under_us_is_an_error(pisess: Pisess) -> None:
    gone = pisess.home / "gone"
    gone.mkdir()

    code, _, err = run(pisess, "log", cwd=gone, preexec_fn=gone.rmdir)

    assert code == 1
    assert err.startswith(b"pisess: no such directory")


# Talk, colours, pager.


def test_quiet_says_nothing_but_errors_and_results(pisess: Pisess) -> None:
    pisess.use(talk().torn())

    assert pisess.ok("log", "-q").err == ""
    assert pisess.ok("-q", "checkout", "HEAD").err == ""
    assert "unknown" in pisess.fail("-q", "show", "unknown")


def test_colours_are_for_terminals_unless_one_insists(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "\x1b[" not in pisess.ok("log").out
    assert "\x1b[" in pisess.ok("log", "--color=always").out
    assert "\x1b[" in pisess.ok("log", env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in pisess.ok("log", "--color=never", env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in pisess.ok("log", "--json", "--color=always").out


def test_an_unknown_colour_is_a_usage_error(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "'blue' is not one of" in pisess.fail("--color=blue", "log", code=2)


def test_no_pager_starts_in_a_pipe(pisess: Pisess) -> None:
    pisess.use(talk())

    assert pisess.ok("log", "--no-pager").out == pisess.ok("log", env={"PISESS_PAGER": "false"}).out


# Version, help, wrong usage.


def test_the_version_is_told(pisess: Pisess) -> None:
    assert pisess.ok("--version").out == f"pisess {__version__}\n"
    assert pisess.ok("-q", "--version").out == f"pisess {__version__}\n"


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_lists_every_command_with_its_line(pisess: Pisess, option: str) -> None:
    shown = " ".join(pisess.ok(option).out.split())

    for name, line in COMMANDS.items():
        assert f" {name} {line}" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_its_line_options_and_examples(pisess: Pisess, name: str) -> None:
    shown = pisess.ok(name, "--help").out

    assert shown.startswith(f"Usage: pisess {name}")
    assert "Global options:" in shown
    assert "Examples:" in shown
    assert f"pisess {name}" in shown.split("Examples:")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_a_usage_error(pisess: Pisess, name: str) -> None:
    assert "no such option" in pisess.fail(name, "--nonsense", code=2)


def test_without_a_command_the_help_is_shown_and_it_is_a_usage_error(pisess: Pisess) -> None:
    result = pisess()

    assert result.code == 2
    assert result.err.startswith("Usage: pisess")
    assert "Show what the model would be sent" in result.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["lgo"], "hint: did you mean log?"),
        (["nonsense"], "no such command (nonsense)"),
        (["log", "-n", "many"], "'many' is not a valid integer"),
        (["log", "-n"], "requires an argument"),
        (["show", "a", "b"], "unexpected extra argument"),
        (["log", "-n", "-1"], "-1"),
    ],
)
def test_wrong_usage_is_told_in_a_line_with_a_hint(pisess: Pisess, args: list[str], words: str) -> None:
    result = pisess.fail(*args, code=2)

    assert words in result
    assert result.count("\n") == 2


# As a process.


def test_exit_codes_are_those_of_the_process(pisess: Pisess) -> None:
    path = talk().write(pisess.home)

    assert run(pisess, "-s", path, "show")[0] == 0
    assert run(pisess, "-s", path, "show", "unknown")[0] == 1
    assert run(pisess, "-s", path, "show", "HEAD^2")[0] == 2


def long_session(pisess: Pisess) -> Path:
    s = session()
    for number in range(3000):
        s.user(f"{number} " + "x" * 200)
    return s.write(pisess.home)


def test_a_closed_pipe_ends_quietly(pisess: Pisess) -> None:
    path = long_session(pisess)
    with started(pisess, "-s", path, "log") as (process, out, err):
        out.readline()
        out.close()

        assert process.wait() == 0
        assert err.read() == b""


def test_a_reader_that_never_reads_is_no_failure_either(pisess: Pisess) -> None:
    path = talk().write(pisess.home)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        code, _, err = run(pisess, "-s", path, "log", stdout=writing)
    finally:
        os.close(writing)

    assert (code, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_noticed(pisess: Pisess) -> None:
    path = talk().write(pisess.home)
    with Path("/dev/full").open("wb") as full:
        code, _, err = run(pisess, "-s", path, "log", stdout=full)

    assert code == 1
    assert err == b"pisess: no space left on device\n"


def test_an_interrupt_ends_with_130_and_without_words(pisess: Pisess) -> None:
    path = session().user("hi").write(pisess.home)
    # Where the tests run in the background they ignore interrupts, and what they start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with started(pisess, "-s", path, "log", "--follow", "--format", "%s") as (process, out, err):
        # It looks on now.
        assert out.readline() == b"hi\n"
        process.send_signal(signal.SIGINT)

        assert process.wait() == 130
        assert err.read().strip() == b""


def test_what_is_written_meanwhile_is_followed(pisess: Pisess) -> None:
    path = session().user("hi").write(pisess.home)
    with started(pisess, "-s", path, "log", "--follow", "--format", "%s") as (_, out, _):
        assert out.readline() == b"hi\n"
        with path.open("ab") as file:
            file.write(b'{"type":"message","id":"late0000","message":{"role":"user","content":"late"}}\n')

        assert out.readline() == b"late\n"


PLAIN = {"LC_ALL": "C"}
PLAINEST = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize("locale", [PLAIN, PLAINEST])
def test_in_the_c_locale_no_character_is_lost(pisess: Pisess, locale: dict[str, str]) -> None:
    path = session().user("café 数据 🙂").label("größe").write(pisess.home)
    pisess.env |= locale

    for args in (["log"], ["log", "--json"], ["show-context"]):
        code, out, err = run(pisess, "-s", path, *args)
        assert (code, err) == (0, b"")
        assert "café 数据 🙂".encode() in out
    assert "größe".encode() in run(pisess, "-s", path, "label")[1]


def test_in_the_c_locale_a_name_is_understood(pisess: Pisess) -> None:
    path = session().user("hi").label("größe").write(pisess.home)
    pisess.env |= PLAIN

    assert run(pisess, "-s", path, "show", "--raw", "größe")[1] == b"hi\n"


def test_a_file_whose_name_is_no_utf_8_is_read_and_named(pisess: Pisess) -> None:
    path = Path(os.fsdecode(os.fsencode(pisess.home) + b"/caf\xe9.jsonl"))
    talk().write(path)

    assert run(pisess, "-s", path, "continue", "--print") == (0, os.fsencode(path) + b"\n", b"")
    path.write_bytes(b"nonsense\n")
    code, _, err = run(pisess, "-s", path, "log")
    assert code == 1
    assert b"not a session" in err


def test_almost_no_environment_suffices(pisess: Pisess) -> None:
    path = talk().write(pisess.home)
    pisess.env = {}

    assert run(pisess, "-s", path, "log")[0] == 0


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_stream_that_is_closed_is_no_crash(pisess: Pisess, closed: int) -> None:
    path = talk().write(pisess.home)

    def close() -> None:
        os.close(closed)

    streams = {0: {"stdin": None}, 1: {"stdout": None}, 2: {"stderr": None}}[closed]
    code, out, err = run(pisess, "-s", path, "show", "--raw", preexec_fn=close, **streams)

    assert code == 0
    assert not err
    assert closed == 1 or out == b"Renamed.\n"


def test_debugging_shows_where_it_failed(pisess: Pisess) -> None:
    pisess.env["PISESS_DEBUG"] = "1"

    _, _, err = run(pisess, "-s", "gone.jsonl", "log")

    assert b"Traceback" in err


# Nothing is sent to a terminal that could steer it.


EVIL = "\x1b[31mred\x07\x9b2J\u202egnp.exe [bold]no markup[/bold]"
STEERING = ("\x1b", "\x07", "\x9b", "\u202e")


@pytest.mark.parametrize(
    "args",
    [
        ["log"],
        ["log", "-p"],
        ["log", "--graph", "--all", "--full"],
        ["log", "--format", "%H %s %b %d %p %m"],
        ["show", "HEAD"],
        ["show-context"],
        ["show-context", "--explain"],
        ["branch", "-v"],
        ["label"],
        ["compact", "--dry-run", "--keep-none"],
    ],
    ids=" ".join,
)
def test_text_of_a_session_steers_no_terminal(pisess: Pisess, args: list[str]) -> None:
    s = session().user(EVIL, id=EVIL).label(EVIL).assistant(EVIL, model=EVIL, provider=EVIL).name(EVIL)
    pisess.use(s.bash(EVIL, EVIL).entry(EVIL, parentId=EVIL).result(EVIL, tool=EVIL))

    result = pisess.ok(*args, "--date=unix") if args[0] in ("log", "show", "branch", "label") else pisess.ok(*args)

    assert not [character for character in STEERING if character in result.out + result.err]
    assert "[bold]no markup[/bold]" in result.out


def test_names_in_errors_steer_no_terminal(pisess: Pisess) -> None:
    pisess.use(talk())

    for args in (["show", EVIL], ["-s", EVIL, "log"], ["log", "--grep", f"({EVIL}"], [EVIL], ["checkout", EVIL]):
        result = pisess(*args)
        assert result.code in (1, 2)
        assert not [character for character in STEERING if character in result.err]


def test_reading_leaves_no_traces_at_home(pisess: Pisess) -> None:
    pisess.use(talk())

    with unchanged(pisess.home):
        for args in (["log"], ["show"], ["branch"], ["label"], ["show-context"], ["continue", "--print"]):
            pisess.ok(*args)
