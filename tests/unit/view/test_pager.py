import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pisess_cli.view.pager import Pager, pager_command


@pytest.mark.parametrize(
    ("env", "configured", "command"),
    [
        pytest.param({"PISESS_PAGER": "a", "PAGER": "b"}, "c", "a", id="PISESS_PAGER first"),
        pytest.param({"PAGER": "b"}, "c", "c", id="then the configured one"),
        pytest.param({"PAGER": "b"}, None, "b", id="then PAGER"),
        pytest.param({}, None, "less -FRX", id="then less"),
        pytest.param({"PISESS_PAGER": "", "PAGER": "b"}, "c", None, id="an empty one is none"),
        pytest.param({"PAGER": "cat"}, None, None, id="cat is none"),
        pytest.param({}, " ", None, id="a blank one is none"),
    ],
)
def test_which_pager(env: dict[str, str], configured: str | None, command: str | None) -> None:
    assert pager_command(env, configured) == command


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        Pager(f"no-such-program; touch {shlex.quote(str(tmp_path / 'made'))}", {})

    assert list(tmp_path.iterdir()) == []


def on_a_terminal(code: str, **env: str) -> tuple[int, str]:
    """The exit code of a program whose stdout and stderr are a terminal, and what is seen there."""
    program = f"from pisess_cli.view.terminal import Terminal\nterminal = Terminal()\n{code}"
    master, slave = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if not name.endswith("PAGER") and name != "LESS"}
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=slave, stdout=slave, stderr=slave, env=settings | {"TERM": "xterm"} | env
    )
    os.close(slave)
    seen = b""
    try:
        while part := os.read(master, 65536):
            seen += part
    except OSError:
        pass  # The other side is closed: all has been read.
    os.close(master)
    return process.wait(timeout=60), seen.decode().replace("\r\n", "\n")


def script(folder: Path, body: str) -> str:
    """A command that runs the Python code as a pager."""
    path = folder / "pager.py"
    path.write_text(f"import os, sys\n{body}\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def test_on_a_terminal_what_is_paged_goes_through_the_pager(tmp_path: Path) -> None:
    pager = script(tmp_path, "sys.stdout.write(sys.stdin.read().upper())")

    code, seen = on_a_terminal(
        "with terminal.paged():\n    terminal.line('inside')\nterminal.line('outside')", PISESS_PAGER=pager
    )

    assert (code, seen) == (0, "INSIDE\noutside\n")


def test_the_pager_starts_with_the_first_text_only(tmp_path: Path) -> None:
    pager = script(tmp_path, "print('started')")

    assert on_a_terminal("with terminal.paged(): pass", PISESS_PAGER=pager) == (0, "")


def test_a_pager_that_quits_early_ends_the_block_quietly(tmp_path: Path) -> None:
    pager = script(tmp_path, "os.read(0, 1); print('enough')")

    code, seen = on_a_terminal(
        "with terminal.paged():\n    while True: terminal.line('x' * 1000)\nterminal.line('goes on')", PAGER=pager
    )

    assert (code, seen) == (0, "enough\ngoes on\n")


def test_talk_waits_until_the_pager_is_done(tmp_path: Path) -> None:
    pager = script(tmp_path, "sys.stdout.write(sys.stdin.read())")

    code, seen = on_a_terminal(
        "with terminal.paged():\n    terminal.line('one'); terminal.note('talk'); terminal.line('two')", PAGER=pager
    )

    assert (code, seen) == (0, "one\ntwo\ntalk\n")


def test_an_error_inside_comes_out_after_the_pager_is_done(tmp_path: Path) -> None:
    pager = script(tmp_path, "sys.stdout.write(sys.stdin.read())")

    code, seen = on_a_terminal(
        "import sys\ntry:\n    with terminal.paged():\n        terminal.line('one'); raise KeyError\n"
        "except KeyError: sys.exit(3)",
        PAGER=pager,
    )

    assert (code, seen) == (3, "one\n")


@pytest.mark.parametrize("command", ["no-such-program -x", "'unclosed"])
def test_a_pager_that_does_not_start_is_done_without(command: str) -> None:
    code, seen = on_a_terminal("with terminal.paged(): terminal.line('one')", NO_COLOR="1", PAGER=command)

    assert (code, seen) == (0, f"pisess: warning: the pager does not start ({command})\none\n")


def test_a_machine_without_less_is_no_reason_to_talk() -> None:
    assert on_a_terminal("with terminal.paged(): terminal.line('one')", PATH="/nowhere") == (0, "one\n")


def test_the_pager_reads_utf8_and_colour_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    pager = script(tmp_path, "print(os.environ['LESS'], os.environ['LESSCHARSET'])")

    assert on_a_terminal("with terminal.paged(): terminal.line('')", PAGER=pager) == (0, "FRX utf-8\n")
    assert on_a_terminal("with terminal.paged(): terminal.line('')", PAGER=pager, LESS="-S")[1] == "-S utf-8\n"


def test_without_a_pager_or_in_a_pipe_none_runs(tmp_path: Path) -> None:
    pager = script(tmp_path, "print('started')")
    code = "terminal = Terminal(use_pager=False)\nwith terminal.paged(): terminal.line('one')\nterminal.flush()"

    assert on_a_terminal(code, PAGER=pager) == (0, "one\n")

    program = f"from pisess_cli.view.terminal import Terminal\n{code.replace('use_pager=False', '')}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=os.environ | {"PAGER": pager}, timeout=60
    )
    assert done.stdout == b"one\n"


def test_a_pipe_that_closes_without_a_pager_is_told_to_the_caller() -> None:
    code = (
        "import os\nr, w = os.pipe(); os.close(r); os.dup2(w, 1)\nterminal = Terminal()\n"
        "try:\n    with terminal.paged(): terminal.write('x'); terminal.flush()\n"
        "except BrokenPipeError: terminal.abandon(); terminal.note('told')\n"
    )

    assert on_a_terminal(code) == (0, "told\n")
