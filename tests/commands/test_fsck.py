"""`pisess fsck`: findings on stdout, talk on stderr, exit code 1 for faults, repaired copies."""

import json
import os
from pathlib import Path

from builder import SessionBuilder, call, id_of, session, talk
from running import Pisess, unchanged


def damaged() -> SessionBuilder:
    """An error, a warning and a note."""
    return (
        session()
        .user("one")
        .raw("nonsense")
        .entry("custom", timestamp="yesterday")
        .assistant("two")
        .without_final_newline()
    )


def test_a_sound_session_gives_no_output(pisess: Pisess) -> None:
    pisess.use(talk())

    assert pisess("fsck") == (0, "", "")


def test_each_finding_is_a_line_with_file_line_and_code(pisess: Pisess) -> None:
    file = pisess.use(damaged())

    result = pisess("fsck")

    assert result.code == 1
    assert result.lines == [
        f"{file}:3: bad-line no JSON: Expecting value (character 1)",
        f"{file}:4: bad-time {id_of(2)}: the timestamp is no date (yesterday)",
        f"{file}:5: no-final-newline {id_of(3)}: the last line does not end with a newline",
    ]
    assert result.err == "1 error, 1 warning, 1 note in 1 session\n"


def test_notes_are_no_faults(pisess: Pisess) -> None:
    pisess.use(talk().entry("from_the_future"))

    result = pisess("fsck")

    assert (result.code, len(result.lines)) == (0, 1)


def test_quiet_leaves_the_findings(pisess: Pisess) -> None:
    pisess.use(damaged())

    result = pisess("fsck", "-q")

    assert (len(result.lines), result.err) == (3, "")


def test_json_has_a_finding_a_line(pisess: Pisess) -> None:
    file = pisess.use(damaged())

    first, second, _ = map(json.loads, pisess("fsck", "--json").lines)

    assert first == {
        "file": str(file),
        "code": "bad-line",
        "severity": "error",
        "line": 3,
        "entry": None,
        "message": "no JSON: Expecting value (character 1)",
    }
    assert (second["severity"], second["entry"]) == ("warning", id_of(2))


def test_checking_changes_nothing(pisess: Pisess) -> None:
    pisess.use(damaged().version(2))

    with unchanged(pisess.home):
        pisess("fsck")
        pisess("fsck", "--repair", "copy.jsonl", "--dry-run")


def test_several_sessions_are_checked_in_one_go(pisess: Pisess, tmp_path: Path) -> None:
    sound, broken = talk().write(tmp_path / "sound.jsonl"), damaged().write(tmp_path / "broken.jsonl")

    result = pisess("fsck", sound, broken, tmp_path / "sound.jsonl")

    assert result.code == 1
    assert all(line.startswith(f"{broken}:") for line in result.lines)


def test_what_is_no_session_fails_and_the_others_are_checked(pisess: Pisess, tmp_path: Path) -> None:
    notes, broken = tmp_path / "notes.jsonl", damaged().write(tmp_path / "broken.jsonl")
    notes.write_text("# Notes\n")

    result = pisess("fsck", notes, broken)

    assert result.code == 1
    assert f"not a session: no line holds a session header or an entry ({notes})" in result.err
    assert len(result.lines) == 3


def test_all_sessions_are_checked_and_what_is_none_is_passed_over(pisess: Pisess, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    (folder / "--home-me--").mkdir(parents=True)
    talk().write(folder / "sound.jsonl")
    (folder / "notes.jsonl").write_text("# Notes\n")

    result = pisess.ok("fsck", "--all", "--session-dir", folder)

    assert result.out == ""
    assert "notes.jsonl" in result.err
    assert "no faults in 1 session\n" in result.err

    broken = damaged().write(folder / "--home-me--" / "broken.jsonl")
    result = pisess("fsck", "--all", "--session-dir", folder)

    assert (result.code, len(result.lines)) == (1, 3)
    assert result.lines[0].startswith(f"{broken}:3: ")
    assert "1 error, 1 warning, 1 note in 2 sessions\n" in result.err


def test_a_fifo_and_a_directory_are_told(pisess: Pisess, tmp_path: Path) -> None:
    fifo, folder = tmp_path / "fifo.jsonl", tmp_path / "folder.jsonl"
    os.mkfifo(fifo)
    folder.mkdir()

    assert "not a regular file" in pisess.fail("fsck", fifo)
    assert "a directory" in pisess.fail("fsck", folder)


def test_nothing_from_the_file_steers_the_terminal(pisess: Pisess) -> None:
    evil = "\x1b]0;x\x07\u202e"
    made = session().user("one").entry(evil, id=evil).assistant("two", call(evil, evil)).user("three")
    pisess.use(made.entry("custom", timestamp=evil, parentId=f"not {evil}"))

    result = pisess("fsck")

    assert len(result.lines) == 4
    assert not any(character in result.out for character in "\x1b\x07\u202e")


# Repaired copies.


def test_a_repaired_copy_is_written_and_its_path_printed(pisess: Pisess, tmp_path: Path) -> None:
    file = pisess.use(damaged())
    before = file.read_bytes()

    result = pisess.ok("fsck", "--repair", tmp_path / "copy.jsonl")

    assert result.line == str(tmp_path / "copy.jsonl")
    assert result.err == "changes made: 2; what stays: 1 warning in 1 session\n"
    assert (tmp_path / "copy.jsonl").read_bytes() == before.replace(b"nonsense\n", b"") + b"\n"
    assert (tmp_path / "copy.jsonl").stat().st_mode & 0o777 == 0o600
    assert file.read_bytes() == before


def test_the_copy_is_named_as_seen_from_the_directory_one_acts_in(pisess: Pisess) -> None:
    pisess.use(damaged())

    assert pisess.ok("fsck", "--repair", "copy.jsonl").line == str(pisess.project / "copy.jsonl")


def test_a_dry_run_tells_what_would_be_done(pisess: Pisess) -> None:
    file = pisess.use(damaged())

    result = pisess.ok("fsck", "--repair", "copy.jsonl", "--dry-run")

    assert result.lines == [f"{file}:3: left out: no entry", f"{file}:5: ended by a newline"]
    assert not (pisess.project / "copy.jsonl").exists()


def test_a_dry_run_in_json(pisess: Pisess) -> None:
    file = pisess.use(session().user("one").user("two").hang("two", under="two"))

    result = pisess.ok("fsck", "--repair", "copy.jsonl", "--dry-run", "--json")

    action = f"parentId: {id_of(2)} becomes {id_of(1)}"
    assert json.loads(result.line) == {"file": str(file), "line": 3, "entry": id_of(2), "action": action}


def test_the_outcome_in_json(pisess: Pisess) -> None:
    pisess.use(damaged())

    result = pisess.ok("fsck", "--repair", "copy.jsonl", "--json")

    assert json.loads(result.line) == {"path": str(pisess.project / "copy.jsonl"), "changes": 2}


def test_a_name_that_is_taken_is_refused(pisess: Pisess, tmp_path: Path) -> None:
    file = pisess.use(damaged())
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")

    for taken in (file, tmp_path / "dangling"):
        with unchanged(tmp_path):
            assert f"exists already ({taken})" in pisess.fail("fsck", "--repair", taken)


def test_options_that_make_no_sense_together(pisess: Pisess) -> None:
    file = pisess.use(damaged())

    pisess.fail("fsck", "--dry-run", code=2)
    pisess.fail("fsck", "--all", file, code=2)
    pisess.fail("fsck", "--all", "--repair", "copy.jsonl", code=2)
    pisess.fail("fsck", file, file, "--repair", "copy.jsonl", code=2)
