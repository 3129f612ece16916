import pytest

from pisess_cli.view.styles import STYLES, paint, wants_color


def test_a_style_is_around_each_line_of_the_text() -> None:
    assert paint("one\n\ntwo", "id") == "\x1b[33mone\x1b[0m\n\n\x1b[33mtwo\x1b[0m"


def test_no_style_is_black_or_white() -> None:
    assert {code for style in STYLES.values() for code in style.split(";")} & {"30", "37", "90", "97"} == set()


@pytest.mark.parametrize(
    ("choice", "env", "is_tty", "wanted"),
    [
        pytest.param("auto", {}, True, True, id="on a terminal"),
        pytest.param("auto", {}, False, False, id="not in a pipe"),
        pytest.param("auto", {"TERM": "dumb"}, True, False, id="not on a dumb terminal"),
        pytest.param("auto", {"CLICOLOR": "0"}, True, False, id="not with CLICOLOR=0"),
        pytest.param("auto", {"NO_COLOR": "1"}, True, False, id="not with NO_COLOR"),
        pytest.param("auto", {"NO_COLOR": ""}, True, True, id="an empty NO_COLOR says nothing"),
        pytest.param("auto", {"FORCE_COLOR": "1"}, False, True, id="in a pipe with FORCE_COLOR"),
        pytest.param("auto", {"FORCE_COLOR": "0"}, False, False, id="FORCE_COLOR=0 forces nothing"),
        pytest.param("auto", {"CLICOLOR_FORCE": "1"}, False, True, id="in a pipe with CLICOLOR_FORCE"),
        pytest.param("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True, True, id="FORCE_COLOR over TERM"),
        pytest.param("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False, id="NO_COLOR over FORCE_COLOR"),
        pytest.param("always", {"NO_COLOR": "1"}, False, True, id="--color=always over everything"),
        pytest.param("never", {"FORCE_COLOR": "1"}, True, False, id="--color=never over everything"),
    ],
)
def test_who_decides_about_colour(choice: str, env: dict[str, str], is_tty: bool, wanted: bool) -> None:
    assert wants_color(choice, env, is_tty=is_tty) is wanted
