import json
from pathlib import Path

import pytest

from running import Pisess


@pytest.fixture
def file(pisess: Pisess) -> Path:
    return pisess.home / ".config" / "pisess" / "config.toml"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text)


def row(pisess: Pisess, key: str, *args: str, **run: object) -> list[str]:
    """The cells of the setting's line in the list."""
    rows = [line.split("\t") for line in pisess.ok("config", *args, **run).lines]  # type: ignore[arg-type]
    [cells] = [cells for cells in rows if cells[0] == key]
    return cells


# Showing.


def test_without_arguments_it_lists_what_counts(pisess: Pisess, file: Path) -> None:
    write(file, 'date = "iso"\n[alias]\nlg = "log --graph"\n')

    listed = [line.split("\t") for line in pisess.ok("config").lines]

    assert listed == [
        ["session_dir", str(pisess.home / ".local/share/pisess/sessions")],
        ["pager", "less -FRX"],
        ["editor", "vi"],
        ["date", "iso"],
        ["color", "auto"],
        ["alias.lg", "log --graph"],
    ]
    assert pisess.ok("config", "--list").out == pisess.ok("config").out


@pytest.mark.parametrize(
    ("env", "value", "origin"),
    [
        ({}, "less -FRX", "default"),
        ({"PAGER": "more"}, "more", "environment PAGER"),
        ({"PAGER": "more", "PISESS_PAGER": "most"}, "most", "environment PISESS_PAGER"),
    ],
)
def test_show_origin_says_which_source_decides(pisess: Pisess, env: dict[str, str], value: str, origin: str) -> None:
    assert row(pisess, "pager", "--show-origin", env=env) == ["pager", value, origin, ""]


def test_show_origin_names_the_file(pisess: Pisess, file: Path) -> None:
    write(file, 'pager = "most"')

    assert row(pisess, "pager", "--show-origin") == ["pager", "most", f"file {file}", ""]


def test_the_session_directory_comes_with_its_layout_and_what_decided(pisess: Pisess, file: Path) -> None:
    standard, home = str(pisess.home / ".local/share/pisess/sessions"), pisess.home
    write(file, 'session_dir = "~/configured"')

    def shown(*args: str, **env: str) -> list[str]:
        return row(pisess, "session_dir", "--show-origin", *args, env=env)[1:]

    assert shown() == [str(home / "configured"), f"file {file}", "flat"]
    assert shown(PI_CODING_AGENT_SESSION_DIR="/b") == ["/b", "environment PI_CODING_AGENT_SESSION_DIR", "flat"]
    assert shown(PISESS_SESSION_DIR="/a", PI_CODING_AGENT_SESSION_DIR="/b")[0] == "/a"
    assert shown("--session-dir", "/c", PISESS_SESSION_DIR="/a") == ["/c", "option --session-dir", "flat"]
    file.unlink()
    assert shown(PI_CODING_AGENT_DIR="/p") == ["/p/sessions", "environment PI_CODING_AGENT_DIR", "by-project"]
    assert shown() == [standard, "default", "by-project"]


def test_it_says_when_the_projects_own_settings_lead_pi_elsewhere(pisess: Pisess) -> None:
    settings = pisess.project / ".pi" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"sessionDir": "/elsewhere"}')

    told = pisess.ok("config", "--show-origin").err
    [described] = [json.loads(line) for line in pisess.ok("config", "session_dir", "--json").lines]

    assert "/elsewhere" in told
    assert str(settings) in told
    assert described["detour"] == {"path": "/elsewhere", "settingsFile": str(settings)}


def test_json_has_a_line_for_each_setting(pisess: Pisess) -> None:
    listed = [json.loads(line) for line in pisess.ok("config", "--json", env={"PAGER": "more"}).lines]

    assert listed[0] == {
        "key": "session_dir",
        "value": str(pisess.home / ".local/share/pisess/sessions"),
        "origin": {"kind": "default", "name": None},
        "layout": "by-project",
        "detour": None,
    }
    assert {"key": "pager", "value": "more", "origin": {"kind": "environment", "name": "PAGER"}} in listed


def test_a_key_alone_prints_its_value(pisess: Pisess, file: Path) -> None:
    write(file, '[alias]\nlg = "log --graph"')

    assert pisess.ok("config", "alias.lg").line == "log --graph"
    assert pisess.ok("config", "session_dir", env={"PISESS_SESSION_DIR": "/a"}).line == "/a"
    assert pisess.ok("config", "alias.lg", "--show-origin").line == f"alias.lg\tlog --graph\tfile {file}\t"


@pytest.mark.parametrize("key", ["summarizer", "alias.lg"])
def test_a_key_that_is_not_set_fails(pisess: Pisess, key: str) -> None:
    assert f"not set ({key})" in pisess.fail("config", key)


def test_an_unknown_key_is_a_wrong_usage_with_a_suggestion(pisess: Pisess) -> None:
    assert "did you mean pager?" in pisess.fail("config", "pagr", code=2)


def test_what_a_value_holds_is_not_obeyed_by_the_list(pisess: Pisess, file: Path) -> None:
    write(file, '[alias]\nx = "log \\u001b[31m\\tred"')

    assert row(pisess, "alias.x") == ["alias.x", "log ␛[31m red"]


# Changing.


def test_a_key_and_a_value_set_it(pisess: Pisess, file: Path) -> None:
    assert pisess.ok("config", "date", "iso").out == ""
    assert pisess.ok("config", "alias.lg", "log --graph --all").out == ""

    assert file.read_text() == 'date = "iso"\n\n[alias]\nlg = "log --graph --all"\n'


def test_a_set_alias_is_a_command(pisess: Pisess) -> None:
    pisess.ok("config", "alias.settings", "config --list")

    assert pisess.ok("settings").out == pisess.ok("config").out


def test_an_empty_value_is_a_value(pisess: Pisess) -> None:
    pisess.ok("config", "pager", "")

    assert pisess.ok("config", "pager").line == ""


@pytest.mark.parametrize(
    ("key", "value"), [("pagr", "more"), ("color", "purple"), ("alias.a b", "log"), ("alias.x", "log '")]
)
def test_what_the_file_cannot_hold_is_refused(pisess: Pisess, file: Path, key: str, value: str) -> None:
    pisess.fail("config", key, value, code=2)

    assert not file.exists()


@pytest.mark.parametrize(
    ("key", "value", "variable"),
    [("pager", "more", "PISESS_PAGER"), ("session_dir", "/x", "PI_CODING_AGENT_SESSION_DIR")],
)
def test_setting_says_when_a_variable_counts_before_it(pisess: Pisess, key: str, value: str, variable: str) -> None:
    assert pisess.ok("config", key, value).err == ""
    assert f"{variable} is set, and counts before it" in pisess.ok("config", key, value, env={variable: "/y"}).err


def test_an_alias_with_a_commands_name_is_called_useless(pisess: Pisess) -> None:
    assert "never used" in pisess.ok("config", "alias.log", "log -n 3").err


def test_unset_takes_it_out(pisess: Pisess, file: Path) -> None:
    write(file, '# mine\ndate = "iso"\ncolor = "never"\n')

    assert pisess.ok("config", "--unset", "date").out == ""

    assert file.read_text() == '# mine\ncolor = "never"\n'


def test_unset_of_what_is_not_in_the_file_fails(pisess: Pisess) -> None:
    assert "not in the file (date)" in pisess.fail("config", "--unset", "date")


@pytest.mark.parametrize(
    "args",
    [
        ("--unset",),
        ("--unset", "date", "iso"),
        ("--list", "date"),
        ("date", "iso", "--json"),
        ("date", "iso", "--show-origin"),
        ("--unset", "date", "--list"),
    ],
)
def test_what_does_not_go_together_is_a_wrong_usage(pisess: Pisess, args: tuple[str, ...]) -> None:
    pisess.fail("config", *args, code=2)


# A file that is broken.


def test_a_value_that_cannot_be_used_can_be_set_anew_and_unset(pisess: Pisess, file: Path) -> None:
    write(file, 'color = "purple"\ndate = 5\npagr = "more"\n')

    pisess.fail("config", "--list")
    pisess.ok("config", "color", "never")
    pisess.ok("config", "--unset", "date")
    pisess.ok("config", "--unset", "pagr")

    assert file.read_text() == 'color = "never"\n'


@pytest.mark.parametrize("args", [(), ("color",), ("color", "never"), ("--unset", "color")])
def test_a_file_that_is_no_toml_stays_as_it_is_and_its_line_is_named(
    pisess: Pisess, file: Path, args: tuple[str, ...]
) -> None:
    write(file, 'color = "auto"\ndate =\n')

    told = pisess.fail("config", *args)

    assert "line 2" in told
    assert str(file) in told
    assert file.read_text() == 'color = "auto"\ndate =\n'


def test_the_session_directory_is_shown_where_its_settings_are_pis_own(pisess: Pisess) -> None:
    settings = pisess.home / ".pi" / "agent" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"sessionDir": "~/of-pi"}')

    cells = row(pisess, "session_dir", "--show-origin")

    assert cells == ["session_dir", str(pisess.home / "of-pi"), f"file {settings}", "flat"]
