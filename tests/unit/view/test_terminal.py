import errno
import io
import os
import subprocess
import sys

import pytest

from pisess_cli.view.terminal import Terminal


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def in_a_pipe(**options: object) -> tuple[Terminal, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return Terminal(stdout=out, stderr=err, env={}, **options), out, err  # type: ignore[arg-type] # each test's own options


def on_a_screen(**options: object) -> tuple[Terminal, Screen, Screen]:
    out, err = Screen(), Screen()
    env = options.pop("env", {})
    return Terminal(stdout=out, stderr=err, env=env, use_pager=False, **options), out, err  # type: ignore[arg-type]


def run(code: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    program = f"from pisess_cli.view.terminal import Terminal\nterminal = Terminal()\n{code}"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, env=os.environ | env, timeout=60
    )


def test_a_line_ends_with_a_newline_or_as_asked() -> None:
    terminal, out, _ = in_a_pipe()

    terminal.line("one")
    terminal.line("two", end="\0")

    assert out.getvalue() == "one\ntwo\0"


def test_lone_surrogates_are_written_as_escapes() -> None:
    terminal, out, _ = in_a_pipe()

    terminal.line("a\ud83db")

    assert out.getvalue() == "a\\ud83db\n"


def test_bytes_are_written_in_turn_with_text(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    terminal = Terminal()

    terminal.write("é ")
    terminal.write_bytes(b"\xff\n")
    terminal.line("end")
    terminal.flush()

    assert capfdbinary.readouterr().out == b"\xc3\xa9 \xff\nend\n"


def test_styles_are_for_screens() -> None:
    assert on_a_screen()[0].style("abc", "id") == "\x1b[33mabc\x1b[0m"
    assert in_a_pipe()[0].style("abc", "id") == "abc"
    assert in_a_pipe(color="always")[0].style("abc", "id") == "\x1b[33mabc\x1b[0m"


def test_in_a_pipe_nothing_is_cut() -> None:
    terminal, _, _ = in_a_pipe()

    assert (terminal.width, terminal.limit) == (80, None)


@pytest.mark.parametrize(("columns", "width"), [("132", 132), ("", 80), ("0", 80), ("many", 80), ("1e9", 80)])
def test_on_a_screen_lines_are_cut_at_its_width(columns: str, width: int) -> None:
    terminal, _, _ = on_a_screen(env={"COLUMNS": columns})

    assert (terminal.width, terminal.limit) == (width, width)


def test_talk_goes_to_stderr_and_says_what_it_is() -> None:
    terminal, out, err = in_a_pipe()

    terminal.note("2 lines skipped")
    terminal.warn("a cycle was cut (abc)")
    terminal.error("no such revision (abd)")
    terminal.hint("did you mean abc?")

    assert out.getvalue() == ""
    assert err.getvalue() == (
        "2 lines skipped\npisess: warning: a cycle was cut (abc)\npisess: no such revision (abd)\nhint: did you mean abc?\n"
    )


def test_quiet_hides_notes_only() -> None:
    terminal, _, err = in_a_pipe(quiet=True)

    terminal.note("2 lines skipped")
    terminal.warn("w")
    terminal.error("e")
    terminal.hint("h")

    assert err.getvalue() == "pisess: warning: w\npisess: e\nhint: h\n"


@pytest.mark.parametrize("say", ["note", "warn", "error", "hint"])
def test_talk_is_made_safe(say: str) -> None:
    terminal, _, err = in_a_pipe()

    getattr(terminal, say)("(\x1b[2J\u202e)\nsecond line")

    assert err.getvalue().endswith("(␛[2J<U+202E>)\nsecond line\n")


def test_only_the_kind_of_a_message_is_coloured() -> None:
    terminal, _, err = on_a_screen()

    terminal.error("no such file (x)")

    assert err.getvalue() == "\x1b[1;31mpisess: \x1b[0mno such file (x)\n"


def test_talk_that_cannot_be_written_is_no_failure() -> None:
    terminal = Terminal(stdout=io.StringIO(), stderr=FullDisk(), env={})

    terminal.warn("nobody reads this")


def test_results_that_cannot_be_written_are_a_failure() -> None:
    terminal = Terminal(stdout=FullDisk(), stderr=io.StringIO(), env={})

    with pytest.raises(OSError, match="No space left"):
        terminal.line("a result")


def test_a_path_goes_into_a_pipe_byte_for_byte(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    terminal = Terminal()

    terminal.path(os.fsdecode(b"/tmp/caf\xe9\x1b/\xe6\x95\xb0.jsonl"))
    terminal.flush()

    assert capfdbinary.readouterr().out == b"/tmp/caf\xe9\x1b/\xe6\x95\xb0.jsonl\n"


def test_a_path_is_made_safe_on_a_screen() -> None:
    terminal, out, _ = on_a_screen()

    terminal.path("/tmp/caf\udcc3\udca9\x1b\udcff.jsonl")

    assert out.getvalue() == "/tmp/café␛\\xff.jsonl\n"


def test_a_path_that_no_file_system_has_is_shown_all_the_same() -> None:
    terminal, out, _ = in_a_pipe()

    terminal.path("/tmp/\ud83d")

    assert out.getvalue() == "/tmp/\\ud83d\n"


C_LOCALE = {"LC_ALL": "C", "PYTHONIOENCODING": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_in_the_c_locale_text_is_neither_lost_nor_an_error() -> None:
    done = run(r"terminal.line('caf\xe9 \u6570 \ud83d'); terminal.warn('na\xefve'); terminal.flush()", **C_LOCALE)

    assert (done.returncode, done.stdout) == (0, "café 数 \\ud83d\n".encode())
    assert done.stderr == "pisess: warning: naïve\n".encode()


def test_in_the_c_locale_what_others_print_is_no_error_either() -> None:
    done = run(r"print('caf\xe9 \ud83d')", **C_LOCALE)

    assert (done.returncode, done.stdout) == (0, "café \\ud83d\n".encode())


def test_without_streams_everything_is_quiet() -> None:
    done = run(
        "import sys\nsys.stdout = sys.stderr = None\nt = Terminal()\nt.line('x'); t.warn('y'); t.flush(); t.abandon()"
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_told_to_the_caller_and_leaves_no_words_behind(unbuffered: str) -> None:
    code = "\n".join(
        (
            "import os, sys",
            "read, write = os.pipe(); os.close(read); os.dup2(write, 1)",
            "try: terminal.write('x' * 1_000_000)",
            "except BrokenPipeError: terminal.abandon(); sys.exit(0)",
            "sys.exit('not told')",
        )
    )

    done = run(code, PYTHONUNBUFFERED=unbuffered)

    assert (done.returncode, done.stderr) == (0, b"")


def test_bytes_that_are_taken_in_parts_all_arrive() -> None:
    class InParts(io.BytesIO):
        def write(self, data: bytes) -> int:
            return super().write(data[:3])

    out = io.StringIO()
    out.buffer = parts = InParts()
    terminal = Terminal(stdout=out, stderr=io.StringIO(), env={})

    terminal.line("0123456789")

    assert parts.getvalue() == b"0123456789\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_told_to_the_caller_and_leaves_no_words_behind(unbuffered: str) -> None:
    code = "\n".join(
        (
            "import os, sys",
            "os.dup2(os.open('/dev/full', os.O_WRONLY), 1)",
            "try: terminal.line('x'); terminal.flush()",
            "except OSError: terminal.abandon(); sys.exit(1)",
        )
    )

    done = run(code, PYTHONUNBUFFERED=unbuffered)

    assert (done.returncode, done.stderr) == (1, b"")


def test_neither_rich_nor_click_is_loaded_for_lines_of_text() -> None:
    code = "terminal.line(terminal.style('x', 'id'))\nterminal.note('y')\nterminal.progress(1, 'z').advance()\n"
    heavy = "{'rich', 'click', 'msgspec', 'subprocess', 'shutil', 'inspect', 'dataclasses', 'datetime'}"

    done = run(f"{code}import sys\nterminal.line(str(sorted({heavy} & set(sys.modules))))\nterminal.flush()")

    assert done.stdout == b"x\n[]\n"
