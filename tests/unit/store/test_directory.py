import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from pisess_cli.core.errors import PisessError, UsageFault
from pisess_cli.core.storage.paths import absolute_path, expand_path, private_mkdir, real_directory
from pisess_cli.core.store.directory import (
    Detour,
    SessionDir,
    new_session_path,
    newest_first,
    pi_detour,
    project_folder_name,
    resolve_session_dir,
    session_file_name,
    session_files,
    validate_session_id,
)
from pisess_cli.core.store.settings import Origin, Settings

STAMP = "2026-12-01T15:49:18.975Z"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory without anything in it."""
    directory = tmp_path / "home"
    directory.mkdir()
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_DATA_HOME", str(directory / "data"))
    return directory


def resolve(
    *, option: str | None = None, config: Mapping[str, str] | None = None, env: Mapping[str, str] | None = None
) -> SessionDir:
    return resolve_session_dir(option, Settings(Path("/c/config.toml"), config or {}), env or {}, Path("/work/app"))


def pi_settings(agent: Path, text: str) -> Path:
    agent.mkdir(parents=True, exist_ok=True)
    file = agent / "settings.json"
    file.write_text(text)
    return file


def touch(file: Path, *, seconds: int = 0) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}\n")
    os.utime(file, (seconds, seconds))
    return file


# Which directory.


def test_each_source_gives_way_to_the_one_before_it(home: Path) -> None:
    agent = home / "pi"
    settings_file = pi_settings(agent, '{"sessionDir": "/five"}')
    env = {
        "PISESS_SESSION_DIR": "/two",
        "PI_CODING_AGENT_SESSION_DIR": "/three",
        "PI_CODING_AGENT_DIR": str(agent),
    }
    config = {"session_dir": "/four"}

    chosen = [resolve(option="/one", config=config, env=env), resolve(config=config, env=env)]
    del env["PISESS_SESSION_DIR"]
    chosen.append(resolve(config=config, env=env))
    del env["PI_CODING_AGENT_SESSION_DIR"]
    chosen += [resolve(config=config, env=env), resolve(env=env)]
    settings_file.unlink()
    chosen.append(resolve(env=env))

    assert [str(one.path) for one in chosen] == ["/one", "/two", "/three", "/four", "/five", f"{agent}/sessions"]
    assert [one.layout for one in chosen] == ["flat"] * 5 + ["by-project"]
    assert [str(one.origin) for one in chosen] == [
        "option --session-dir",
        "environment PISESS_SESSION_DIR",
        "environment PI_CODING_AGENT_SESSION_DIR",
        "file /c/config.toml",
        f"file {settings_file}",
        "environment PI_CODING_AGENT_DIR",
    ]


def test_pis_own_sessions_are_the_default_if_they_exist(home: Path) -> None:
    (home / ".pi" / "agent" / "sessions").mkdir(parents=True)

    assert resolve() == SessionDir(home / ".pi/agent/sessions", "by-project", Origin("default"))


def test_without_pi_the_default_is_pisess_own_data(home: Path) -> None:
    assert resolve() == SessionDir(home / "data/pisess/sessions", "by-project", Origin("default"))


def test_an_empty_source_is_none(home: Path) -> None:
    chosen = resolve(option="", config={"session_dir": ""}, env={"PISESS_SESSION_DIR": "", "PI_CODING_AGENT_DIR": ""})

    assert chosen.origin == Origin("default")


@pytest.mark.parametrize(
    ("text", "path"),
    [("~", "{home}"), ("~/s", "{home}/s"), ("file:///x%20y", "/x y"), ("rel", "/work/app/rel"), ("~x", "/work/app/~x")],
)
def test_every_source_is_understood_as_pi_does(home: Path, text: str, path: str) -> None:
    pi_settings(home / ".pi" / "agent", f'{{"sessionDir": "{text}"}}')
    expected = Path(path.format(home=home))

    assert resolve(option=text).path == expected
    assert resolve(env={"PISESS_SESSION_DIR": text}).path == expected
    assert resolve(config={"session_dir": text}).path == expected
    assert resolve().path == expected


def test_broken_settings_of_pi_do_not_matter_when_something_before_them_decides(home: Path) -> None:
    pi_settings(home / ".pi" / "agent", "{")

    assert resolve(option="/one").path == Path("/one")
    with pytest.raises(PisessError, match=r"settings\.json"):
        resolve()


def test_a_projects_own_setting_is_not_used_but_told(tmp_path: Path) -> None:
    file = pi_settings(tmp_path / "app" / ".pi", '{"sessionDir": "here"}')
    project = tmp_path / "app"

    chosen = resolve_session_dir(None, Settings(Path("/c"), {}), {}, project)

    assert chosen.origin == Origin("default")
    assert pi_detour(chosen, {}, project) == Detour(project / "here", file)


def test_a_projects_setting_that_leads_to_the_same_place_is_no_detour(tmp_path: Path) -> None:
    project = tmp_path / "app"
    pi_settings(project / ".pi", '{"sessionDir": "link"}')
    (tmp_path / "real").mkdir()
    (project / "link").symlink_to("../real")

    assert pi_detour(SessionDir(tmp_path / "real", "flat", Origin("default")), {}, project) is None


@pytest.mark.parametrize("text", ["{", "{}", '{"sessionDir": "file://other/x"}', '{"sessionDir": "\\u0000"}'])
def test_a_projects_setting_that_leads_nowhere_is_no_detour(tmp_path: Path, text: str) -> None:
    pi_settings(tmp_path / ".pi", text)

    assert pi_detour(SessionDir(Path("/s"), "flat", Origin("default")), {}, tmp_path) is None


def test_where_pis_variable_decides_a_projects_setting_does_not(tmp_path: Path) -> None:
    pi_settings(tmp_path / ".pi", '{"sessionDir": "here"}')

    chosen = SessionDir(Path("/s"), "flat", Origin("default"))

    assert pi_detour(chosen, {"PI_CODING_AGENT_SESSION_DIR": "/s"}, tmp_path) is None


# Paths.


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:///home/me/x%20y", "/home/me/x y"),
        ("file://localhost/a", "/a"),
        ("file://LOCALHOST/a", "/a"),
        ("file:///a?x#y", "/a"),
        ("file:///日本", "/日本"),
        ("file:///a%5cb", "/a\\b"),
        ("file://", "/"),
        ("FILE:///a", "FILE:///a"),
        (" ~", " ~"),
        ("~me/x", "~me/x"),
    ],
)
def test_a_path_is_expanded_as_node_does(text: str, path: str) -> None:
    assert expand_path(text) == path


@pytest.mark.parametrize(
    "text",
    ["file://host/a", "file:///a%2fb", "file:///a%ffb", "file:///%zz", "file:///a%00b", "a\0b", "\ud800", "file://[x"],
)
def test_what_can_be_no_path_is_an_error(text: str) -> None:
    with pytest.raises(PisessError):
        expand_path(text)


def test_one_directory_has_one_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    real = str((tmp_path / "real").resolve())

    assert {real_directory(f"{tmp_path}/{name}") for name in ("real", "real/", "link", "link/.", "link/../real")} == {
        real
    }


@pytest.mark.parametrize("text", ["", "rel", "~", "/a\0b", "/\ud800"])
def test_what_names_no_certain_directory_has_no_real_path(text: str) -> None:
    assert real_directory(text) is None


def test_a_circle_of_links_still_has_a_path(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert real_directory(f"{tmp_path}/a/x") is not None


def test_new_directories_are_for_the_user_alone_and_old_ones_stay(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir(0o755)
    old.chmod(0o755)

    private_mkdir(old / "a" / "b")
    private_mkdir(old / "a" / "b")

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (old, old / "a", old / "a" / "b")]
    assert modes == [0o755, 0o700, 0o700]


@pytest.mark.parametrize("name", ["file/x", "file", "dangling", "x" * 300])
def test_a_directory_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")

    with pytest.raises(PisessError, match=name.removesuffix("/x")):
        private_mkdir(tmp_path / name)


# Names of folders and files.


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        ("/home/me/app", "--home-me-app--"),
        ("/home/me/app/", "--home-me-app--"),
        ("//home/me/app", "--home-me-app--"),
        ("/", "----"),
        ("/home/mé/日本", "--home-mé-日本--"),
        ("/a//b/../c", "--a-c--"),
        ("~", "{home}"),
        ("file:///home/me/x%20y", "--home-me-x y--"),
        ("/a:b", "--a-b--"),
        ("/a\\b", "--a-b--"),
        ("/a/b", "--a-b--"),
        ("/a-b", "--a-b--"),
        ("~x", "--base-~x--"),
        (" /a", "--base- -a--"),
        ("rel", "--base-rel--"),
        ("..", "----"),
    ],
)
def test_a_project_folder_is_named_as_pi_names_it(home: Path, cwd: str, folder: str) -> None:
    expected = folder.format(home=f"--{str(home)[1:].replace('/', '-')}--")

    assert project_folder_name(absolute_path(cwd, Path("/base"))) == expected


@pytest.mark.parametrize("session_id", ["a", "0", "a..b", "01900000-0000-7000-8000-000000000001", "A_b.c", "x" * 300])
def test_an_id_that_pi_takes_is_taken(session_id: str) -> None:
    assert validate_session_id(session_id) == session_id


@pytest.mark.parametrize("session_id", ["", "..", "a-", "-a", "é", "a\n", "a/b", "../../evil", "٣", "a b", "a\0"])
def test_an_id_that_pi_refuses_is_refused_by_name_and_is_in_no_path(session_id: str) -> None:
    with pytest.raises(UsageFault) as caught:
        validate_session_id(session_id)
    with pytest.raises(UsageFault):
        session_file_name(STAMP, session_id)

    assert f"({session_id})" in caught.value.message


def test_a_new_file_is_in_the_projects_folder_or_flat() -> None:
    name = "2026-12-01T15-49-18-975Z_x1.jsonl"
    by_project = SessionDir(Path("/s"), "by-project", Origin("default"))

    assert session_file_name(STAMP, "x1") == name
    assert new_session_path(by_project, Path("/home/me"), STAMP, "x1") == Path("/s/--home-me--") / name
    assert new_session_path(by_project._replace(layout="flat"), Path("/home/me"), STAMP, "x1") == Path("/s") / name


# What is in the directory.


def test_both_layouts_are_read_one_level_deep(tmp_path: Path) -> None:
    root = tmp_path / "s"
    flat, below = touch(root / "b.jsonl"), touch(root / "a" / "x.jsonl")
    touch(root / "a" / "deep" / "y.jsonl")
    touch(root / "notes.txt")
    touch(root / "c.jsonl" / "z.jsonl")

    assert session_files(root) == [below, flat, root / "c.jsonl" / "z.jsonl"]


def test_links_to_folders_and_files_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "s"
    root.mkdir()
    touch(tmp_path / "real" / "x.jsonl")
    touch(tmp_path / "other.txt")
    (root / "--home--").symlink_to("../real")
    (root / "y.jsonl").symlink_to("../other.txt")

    assert session_files(root) == [root / "--home--" / "x.jsonl", root / "y.jsonl"]


def test_a_file_met_twice_through_links_counts_once(tmp_path: Path) -> None:
    root = tmp_path / "s"
    file, below = touch(root / "x.jsonl"), touch(root / "a" / "y.jsonl")
    (root / "self").symlink_to(".")
    (root / "again").symlink_to("a")
    (root / "copy.jsonl").symlink_to("x.jsonl")
    (root / "a" / "up.jsonl").symlink_to("../x.jsonl")

    assert session_files(root) == [below, file]


def test_what_is_no_file_or_cannot_be_reached_is_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "s"
    file = touch(root / "x.jsonl")
    os.mkfifo(root / "fifo.jsonl")
    (root / "dangling.jsonl").symlink_to("nowhere")
    (root / "circle.jsonl").symlink_to("circle.jsonl")
    (root / "circle").symlink_to("circle")

    assert session_files(root) == [file]


def test_names_that_are_not_utf_8_are_found(tmp_path: Path) -> None:
    root = tmp_path / "s"
    file = touch(root / os.fsdecode(b"\xff") / os.fsdecode(b"\xfe.jsonl"))

    assert session_files(root) == [file]


def test_a_missing_directory_holds_no_files(tmp_path: Path) -> None:
    assert session_files(tmp_path / "missing") == []
    assert list(newest_first(tmp_path / "missing")) == []


def test_a_directory_that_cannot_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = touch(tmp_path / "file")

    with pytest.raises(PisessError, match=str(file)):
        session_files(file)


def test_a_folder_that_cannot_be_read_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = touch(tmp_path / "x.jsonl")
    locked = touch(tmp_path / "locked" / "y.jsonl").parent
    scandir = os.scandir

    def refuse(path: str | Path) -> "os._ScandirIterator[str]":
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)

    assert session_files(tmp_path) == [file]


def test_the_newest_file_is_first_and_equal_times_go_by_name(tmp_path: Path) -> None:
    old, newest = touch(tmp_path / "z.jsonl", seconds=1), touch(tmp_path / "b" / "y.jsonl", seconds=3)
    second, first = touch(tmp_path / "a" / "n.jsonl", seconds=2), touch(tmp_path / "c" / "m.jsonl", seconds=2)

    assert list(newest_first(tmp_path)) == [newest, first, second, old]
