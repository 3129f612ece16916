import json
import os
import stat
import tomllib
from pathlib import Path

import pytest

from pisess_cli.core.errors import NotFound, PisessError, UsageFault
from pisess_cli.core.store.settings import (
    KEYS,
    Origin,
    Setting,
    check_setting,
    config_path,
    load_settings,
    pi_agent_dir,
    pi_session_dir,
    project_session_dir,
    set_value,
    unset_value,
)
from pisess_cli.view.dates import date_format
from pisess_cli.view.pager import DEFAULT_COMMAND
from pisess_cli.view.styles import wants_color


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_the_file_is_in_the_users_config_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")

    assert config_path() == Path("/elsewhere/pisess/config.toml")


# Reading.


def test_a_missing_file_holds_nothing(config: Path) -> None:
    settings = load_settings(config)

    assert settings.values == {}
    assert settings.get("pager") is None


def test_a_value_comes_with_the_file_it_is_from(config: Path) -> None:
    config.write_text('pager = "more"\n')

    assert load_settings(config).get("pager") == Setting("pager", "more", Origin("file", str(config)))


def test_aliases_are_read_from_their_table(config: Path) -> None:
    config.write_text('[alias]\nlast = "log -n 1"\n')

    settings = load_settings(config)

    assert settings.aliases == {"last": "log -n 1"}
    assert settings.values["alias.last"] == "log -n 1"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('pagr = "more"', "pagr"),
        ("[pagr]\nx = 1", "pagr"),
        ('alias = "x"', "alias"),
        ('[alias]\n"a b" = "log"', "alias.a b"),
    ],
)
def test_an_unknown_key_is_a_warning_that_names_key_and_file(config: Path, text: str, key: str) -> None:
    config.write_text(f'color = "never"\n{text}\n')

    settings = load_settings(config)

    assert dict(settings.values) == {"color": "never"}
    assert settings.warnings == (f"no such setting, {key} ({config})",)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("pager = 1", "pager"),
        ('color = "purple"', "color"),
        ("[alias]\nx = []", "alias.x"),
        ('date = "formal"', "date"),
    ],
)
def test_a_value_that_cannot_be_used_is_an_error_that_names_key_and_file(config: Path, text: str, key: str) -> None:
    config.write_text(text)

    with pytest.raises(PisessError) as caught:
        load_settings(config)

    assert caught.value.message == f"the value of {key} cannot be used ({config})"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'pager = "more"\ncolor = \n', "line 2"),
        (b'# ok\n\npager = "\xff"\n', "line 3"),
        (b'pager = "a"\npager = "b"\n', "line 2"),
    ],
)
def test_a_broken_file_is_one_line_that_names_file_and_line(config: Path, data: bytes, line: str) -> None:
    config.write_bytes(data)

    with pytest.raises(PisessError) as caught:
        load_settings(config)

    assert line in caught.value.message
    assert str(config) in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("data", [b"x = " + b"[" * 100_000, b"x = " + b"9" * 10_000, b"#" * 2_000_000])
def test_a_hostile_file_is_an_error_and_no_crash(config: Path, data: bytes) -> None:
    config.write_bytes(data)

    with pytest.raises(PisessError):
        load_settings(config)


def test_what_is_not_a_regular_file_holds_nothing_and_is_not_waited_for(config: Path) -> None:
    os.mkfifo(config)

    assert load_settings(config).values == {}


def test_settings_that_one_may_not_read_are_a_warning(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)

    settings = load_settings(config)

    assert settings.values == {}
    assert str(config) in settings.warnings[0]


# What counts.


@pytest.mark.parametrize(
    ("environment", "value", "origin"),
    [
        ({"PISESS_EDITOR": "a", "VISUAL": "b"}, "a", "environment PISESS_EDITOR"),
        ({"VISUAL": "b", "EDITOR": "c"}, "mine", "file"),
    ],
)
def test_a_variable_of_pisess_is_before_the_file_and_others_are_behind_it(
    config: Path, environment: dict[str, str], value: str, origin: str
) -> None:
    config.write_text('editor = "mine"')

    setting = load_settings(config).effective("editor", environment)

    assert setting is not None
    assert setting.value == value
    assert str(setting.origin).startswith(origin)


def test_without_the_file_the_first_variable_that_is_not_empty_counts(config: Path) -> None:
    setting = load_settings(config).effective("editor", {"PISESS_EDITOR": "", "VISUAL": "", "EDITOR": "c"})

    assert setting == Setting("editor", "c", Origin("environment", "EDITOR"))


def test_an_empty_pager_variable_counts_since_it_means_none(config: Path) -> None:
    setting = load_settings(config).effective("pager", {"PISESS_PAGER": "", "PAGER": "more"})

    assert setting == Setting("pager", "", Origin("environment", "PISESS_PAGER"))


def test_the_default_is_last_and_says_so(config: Path) -> None:
    setting = load_settings(config).effective("color", {})

    assert setting == Setting("color", "auto", Origin("default"))
    assert str(setting.origin) == "default"


def test_a_setting_without_a_default_is_none(config: Path) -> None:
    assert load_settings(config).effective("summarizer", {}) is None


def test_the_choices_are_those_that_the_view_understands() -> None:
    for choice in KEYS["date"].choices:
        assert date_format(f"{choice}%Y" if choice.endswith(":") else choice)
    assert [wants_color(choice, {}, is_tty=True) for choice in KEYS["color"].choices] == [True, True, False]
    assert KEYS["pager"].default == DEFAULT_COMMAND


# Writing.

SHAPES = [
    "",
    "# only a comment",
    'pager = "less" # mine\n\n[alias]\nst = "log"\n',
    'alias.st = "log"\n',
    "[alias]\n",
    'alias = {st = "log"}\n',
    "[other]\nx = 1\n[alias]\nst = 'log'\n[zed]\ny = 2\n",
    "[[other]]\nx = 1\n",
    "[alias]\r\nst = 'log'\r\n",
]


@pytest.mark.parametrize("before", SHAPES)
@pytest.mark.parametrize(
    ("key", "value"), [("pager", 'less "-R" \\x'), ("alias.new", "log -n 3"), ("date", "format:%d é")]
)
def test_a_value_set_is_read_back_and_all_else_stays(config: Path, before: str, key: str, value: str) -> None:
    config.write_text(before)
    old = dict(load_settings(config).values)

    set_value(config, key, value)

    assert load_settings(config).values == old | {key: value}
    comments = [line for line in before.splitlines() if "#" in line]
    assert all(comment.partition("#")[2] in config.read_text() for comment in comments)


def test_setting_makes_a_file_and_a_directory_for_the_user_alone(tmp_path: Path) -> None:
    config = tmp_path / "new" / "pisess" / "config.toml"

    set_value(config, "color", "always")

    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
    assert [path.name for path in config.parent.iterdir()] == ["config.toml"]


def test_a_linked_file_is_written_where_it_is(tmp_path: Path, config: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('pager = "more"\n')
    config.symlink_to(real)

    set_value(config, "color", "always")

    assert config.is_symlink()
    assert tomllib.loads(real.read_text()) == {"pager": "more", "color": "always"}


@pytest.mark.parametrize(("key", "meant"), [("pagr", "pager"), ("sesion_dir", "session_dir"), ("colour", "color")])
def test_an_unknown_key_is_not_set_and_the_right_one_is_proposed(config: Path, key: str, meant: str) -> None:
    with pytest.raises(UsageFault) as caught:
        set_value(config, key, "x")

    assert key in caught.value.message
    assert caught.value.hint == f"did you mean {meant}?"
    assert not config.exists()


def test_a_key_like_no_other_gets_the_list_of_keys() -> None:
    with pytest.raises(UsageFault) as caught:
        check_setting("zzz", "x")

    assert all(key in str(caught.value.hint) for key in KEYS)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("color", "purple"),
        ("date", "formal"),
        ("editor", 'vi "'),
        ("alias.x", "log 'a"),
        ("alias.a b", "log"),
        ("alias.", "log"),
        ("alias.-x", "log"),
        ("session_dir", "/x\udcff"),
    ],
)
def test_what_could_not_be_used_is_not_set(config: Path, key: str, value: str) -> None:
    with pytest.raises(UsageFault):
        set_value(config, key, value)

    assert not config.exists()


def test_a_broken_file_is_not_written_to(config: Path) -> None:
    config.write_text("pager = \n")

    with pytest.raises(PisessError, match="line 1"):
        set_value(config, "color", "always")

    assert config.read_text() == "pager = \n"


def test_an_alias_that_is_no_table_is_an_error(config: Path) -> None:
    config.write_text('alias = "log"\n')

    with pytest.raises(PisessError, match="not a table"):
        set_value(config, "alias.x", "log")


@pytest.mark.parametrize("key", ["pager", "alias.st", "unknown"])
def test_a_setting_is_taken_out_and_the_rest_stays(config: Path, key: str) -> None:
    config.write_text('# top\npager = "less"\nunknown = 1\n[alias]\nst = "log" # short\nlast = "log -n 1"\n')

    unset_value(config, key)

    left = load_settings(config)
    assert key not in left.values
    assert len(left.values) + len(left.warnings) == 3
    assert "# top" in config.read_text()


@pytest.mark.parametrize("key", ["pager", "alias.st", "alias"])
def test_taking_out_what_is_not_there_is_an_error_that_names_it(config: Path, key: str) -> None:
    with pytest.raises(NotFound) as caught:
        unset_value(config, key)

    assert key in caught.value.message


# Pi's settings.


def test_pis_directory_is_that_of_its_variable_else_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    assert pi_agent_dir({}, Path("/")) == Path("/home/me/.pi/agent")
    assert pi_agent_dir({"PI_CODING_AGENT_DIR": ""}, Path("/")) == Path("/home/me/.pi/agent")
    assert pi_agent_dir({"PI_CODING_AGENT_DIR": "~/pi"}, Path("/")) == Path("/home/me/pi")


def test_pis_session_directory_is_read_also_behind_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps({"theme": "dark", "sessionDir": "~/s"}).encode())

    assert pi_session_dir(file) == Setting("sessionDir", "~/s", Origin("file", str(file)))


@pytest.mark.parametrize("text", [None, "", "{}", '{"sessionDir": ""}', '{"sessionDir": null}'])
def test_pis_settings_without_a_session_directory_give_none(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "settings.json"
    if text is not None:
        file.write_text(text)

    assert pi_session_dir(file) is None


@pytest.mark.parametrize("text", ['{\n"sessionDir": "x",\n', "[]", '{"sessionDir": 5}', "null"])
def test_broken_settings_of_pi_are_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)

    with pytest.raises(PisessError) as caught:
        pi_session_dir(file)

    assert str(file) in caught.value.message
    assert "line" in caught.value.message or text.count("\n") == 0


def test_a_projects_session_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi" / "settings.json").write_text('{"sessionDir": "here"}')

    setting = project_session_dir(tmp_path)

    assert setting is not None
    assert setting.value == "here"


@pytest.mark.parametrize("text", ["{", "[]", '{"sessionDir": 5}'])
def test_a_projects_broken_settings_are_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi" / "settings.json").write_text(text)

    assert project_session_dir(tmp_path) is None
