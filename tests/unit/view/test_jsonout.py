import io
import json

import pytest

from pisess_cli.view.jsonout import write_json, write_stored_line
from pisess_cli.view.terminal import Terminal


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def on(stream: io.StringIO) -> Terminal:
    return Terminal(stdout=stream, stderr=io.StringIO(), env={}, color="always", use_pager=False)


def test_json_is_compact_and_escapes_lone_surrogates() -> None:
    out = io.StringIO()

    write_json(on(out), {"b": 1, "a": [None, True, "é\ud83d"]})

    assert out.getvalue() == '{"b":1,"a":[null,true,"é\\ud83d"]}\n'


def test_in_a_pipe_a_value_is_written_as_it_is() -> None:
    out = io.StringIO()

    write_json(on(out), {"name": "\x1b\x9b\u202e"})

    assert out.getvalue() == '{"name":"\\u001b\x9b\u202e"}\n'


def test_on_a_screen_no_value_steers_it() -> None:
    screen = Screen()

    write_json(on(screen), {"name": "\x9b\u202e\U000e0041 👩‍👧"})

    assert screen.getvalue() == '{"name":"\\u009b\\u202e\\udb40\\udc41 👩‍👧"}\n'


def test_in_a_pipe_a_stored_line_keeps_its_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    terminal = Terminal()
    line = b'{"n": 1e400, "s":"\\ud83d \xc2\x9b \xff"}\r'

    write_stored_line(terminal, line)
    terminal.flush()

    assert capfdbinary.readouterr().out == line + b"\n"


def test_on_a_screen_a_stored_line_is_the_same_value_and_steers_nothing() -> None:
    screen = Screen()
    line = '{"n":\t12345678901234567890, "s":"\\u001b \x9b\x7f \u202e"}\r'

    write_stored_line(on(screen), line.encode())

    assert screen.getvalue().rstrip() == '{"n":\t12345678901234567890, "s":"\\u001b \\u009b\\u007f \\u202e"}'
    assert json.loads(screen.getvalue()) == json.loads(line)
