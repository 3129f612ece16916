"""`pisess migrate`: old versions in the current one, in place, with the old file beside it."""

import json
from pathlib import Path

import pytest

from builder import SessionBuilder, session, talk
from running import Pisess, state_of, unchanged


def old(version: int) -> SessionBuilder:
    return (
        session(version=version)
        .user("one")
        .assistant("two")
        .compact("short", keep="two")
        .message("custom", "by a hook")
        .version(version)
    )


@pytest.mark.parametrize("version", [1, 2])
def test_an_old_session_is_written_anew_and_kept_beside(pisess: Pisess, version: int) -> None:
    file = pisess.use(old(version))
    before = file.read_bytes()
    shown = pisess.ok("log", "--json", "--full").out

    result = pisess.ok("migrate")

    backup = file.with_name(f"session.jsonl.v{version}.bak")
    assert result.line == str(file)
    assert result.err == f"the old file is {backup}\n"
    assert backup.read_bytes() == before
    assert json.loads(file.read_bytes().split(b"\n", 1)[0])["version"] == 3
    # What was read of the old file is what stands in the new one.
    assert pisess.ok("log", "--json", "--full").out == shown
    assert pisess("fsck") == (0, "", "")


def test_the_mode_stays_and_nothing_else_is_left(pisess: Pisess) -> None:
    file = pisess.use(old(1))
    file.chmod(0o640)

    pisess.ok("migrate")

    files = state_of(pisess.home)
    assert {path.name for path in files} == {"session.jsonl", "session.jsonl.v1.bak"}
    assert {state.mode & 0o777 for state in files.values()} == {0o640}


def test_without_a_backup_only_the_session_is_left(pisess: Pisess) -> None:
    file = pisess.use(old(1))

    pisess.ok("migrate", "--no-backup")

    assert list(state_of(pisess.home)) == [file]


def test_lines_that_are_no_json_stay_as_they_are(pisess: Pisess) -> None:
    file = pisess.use(old(2).raw("nonsense \u2028"))

    pisess.ok("migrate")

    assert file.read_bytes().split(b"\n")[-2] == "nonsense \u2028".encode()


def test_a_current_session_is_left_alone(pisess: Pisess) -> None:
    file = pisess.use(talk().torn())

    with unchanged(pisess.home):
        result = pisess.ok("migrate")

    assert result.out == ""
    assert result.err == f"the session is of the current version already ({file})\n"


def test_a_dry_run_writes_nothing(pisess: Pisess) -> None:
    file = pisess.use(old(1))

    with unchanged(pisess.home):
        result = pisess.ok("migrate", "--dry-run")

    assert result.out == ""
    assert "version 1 as version 3" in result.err
    assert f"{file.name}.v1.bak" in result.err


def test_several_sessions_at_once(pisess: Pisess, tmp_path: Path) -> None:
    one, two = old(1).write(tmp_path / "one.jsonl"), old(2).write(tmp_path / "two.jsonl")
    current = talk().write(tmp_path / "three.jsonl")

    assert pisess.ok("migrate", one, current, two).lines == [str(one), str(two)]


def test_a_backup_of_something_else_is_not_written_over(pisess: Pisess) -> None:
    file = pisess.use(old(1))
    file.with_name("session.jsonl.v1.bak").write_text("precious")

    with unchanged(pisess.home):
        assert "session.jsonl.v1.bak" in pisess.fail("migrate")


def test_what_is_no_session_is_left_alone(pisess: Pisess, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("# Notes\n")

    with unchanged(tmp_path):
        assert "notes.jsonl" in pisess.fail("migrate", tmp_path / "notes.jsonl")
