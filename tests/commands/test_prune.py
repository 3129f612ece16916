"""`pisess prune`: the new file's path on stdout, what it saves on stderr; the old session stays as it is."""

import json
import stat
from pathlib import Path

import pytest

from builder import SessionBuilder, id_of, session, time_of
from running import Pisess, unchanged


def forked() -> SessionBuilder:
    """`left` is an abandoned branch, `right` the current one."""
    start = session().user("start").assistant("fork").user("left").assistant("left end")
    return start.branch_at("fork").user("right").assistant("right end")


LEFT, LEFT_END = forked().ids("left", "left end")
WITHOUT_LEFT = b"".join(line + b"\n" for line in forked().lines if b'"left' not in line)


def copy(pisess: Pisess, *options: object) -> bytes:
    """The bytes of the copy that prune makes."""
    return Path(pisess.ok("prune", *options, "-o", pisess.home / "copy.jsonl").line).read_bytes()


def test_a_copy_is_a_new_session_of_the_project_that_names_the_old_one(pisess: Pisess) -> None:
    made = forked()
    made.header["cwd"] = str(pisess.project)
    source = pisess.use(made)

    path = Path(pisess.ok("--session-dir", pisess.home / "sessions", "prune", "--branch", LEFT).line)

    head = json.loads(path.read_bytes().split(b"\n")[0])
    assert path.parent == pisess.home / "sessions"
    assert (head["cwd"], head["parentSession"]) == (str(pisess.project), str(source))
    assert head["id"] != made.header["id"]
    assert path.read_bytes().split(b"\n")[1:] == WITHOUT_LEFT.split(b"\n")[1:]
    assert source.read_bytes() == made.data


def test_a_copy_in_a_file_keeps_the_header_too(pisess: Pisess) -> None:
    source = pisess.use(forked())

    path = pisess.ok("prune", "--branch", LEFT, "-o", "copy.jsonl").line

    assert path == str(pisess.project / "copy.jsonl")
    assert Path(path).read_bytes() == WITHOUT_LEFT
    assert source.read_bytes() == forked().data
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


def test_a_file_that_exists_is_not_written_over(pisess: Pisess) -> None:
    source = pisess.use(forked())

    with unchanged(pisess.home):
        assert "exists already" in pisess.fail("prune", "--keep", "HEAD", "-o", source)


@pytest.mark.parametrize(
    "options",
    [
        ("--branch", LEFT),
        ("--branch", LEFT_END),
        ("--branch", "gone"),
        ("--keep", "HEAD"),
        ("--older-than", time_of(60)),
        ("--older-than", "1d"),
        ("--older-than", time_of(60), "--branch", LEFT),
    ],
)
def test_a_branch_can_be_chosen_in_several_ways(pisess: Pisess, options: tuple[str, ...]) -> None:
    pisess.use(forked().label("gone", on="left"))

    lines = copy(pisess, *options)

    assert b'"left' not in lines
    assert b'"right end"' in lines


def test_a_branch_that_was_merged_goes(pisess: Pisess) -> None:
    made = forked().branch_at("fork").branch_summary("what right was", left="right end").user("now")
    pisess.use(made)

    lines = copy(pisess, "--merged-into", "HEAD")

    assert b'"right end"' not in lines
    assert b'"left end"' in lines


def test_kept_branches_stay(pisess: Pisess) -> None:
    pisess.use(forked())

    with unchanged(pisess.home):
        assert "nothing to leave out" in pisess.fail("prune", "--older-than", "1d", "--keep", LEFT)


def test_the_current_branch_is_not_left_out(pisess: Pisess) -> None:
    pisess.use(forked())

    with unchanged(pisess.home):
        assert "the current branch cannot go" in pisess.fail("prune", "--branch", "HEAD")


def test_images_and_long_outputs_can_go_without_a_branch(pisess: Pisess) -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    made = session().user([image]).bash("ls", "x" * 5000)
    pisess.use(made)

    lines = copy(pisess, "--strip-images", "--max-output", "1k").split(b"\n")

    assert b"[image/png left out, 2 bytes]" in lines[1]
    assert len(json.loads(lines[2])["message"]["output"]) == 1024


@pytest.mark.parametrize("size", ["k", "-1", "1.5", "1kb", "²", "", "1 k"])
def test_what_is_no_size_is_refused(pisess: Pisess, size: str) -> None:
    pisess.use(forked())

    assert "not a number of bytes" in pisess.fail("prune", f"--max-output={size}", code=2)


def test_something_has_to_be_chosen(pisess: Pisess) -> None:
    pisess.use(forked())

    assert "nothing says what to leave out" in pisess.fail("prune", code=2)


def test_an_entry_of_another_session_names_no_branch(pisess: Pisess) -> None:
    pisess.use(forked())
    other = session("other").user("hi").write(pisess.home / "other.jsonl")

    assert "in another session" in pisess.fail("prune", "--branch", f"{other}:HEAD", code=2)


def test_the_sizes_before_and_after_are_told(pisess: Pisess) -> None:
    pisess.use(forked())

    told = pisess.ok("prune", "--keep", "HEAD", "-o", "copy.jsonl").err

    assert told == f"{len(forked().data):,} to {len(WITHOUT_LEFT):,} bytes, 6 to 4 entries, without 1 branch\n"
    assert pisess.ok("prune", "--keep", "HEAD", "-q", "-o", "other.jsonl").err == ""


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_json_is_one_object(pisess: Pisess, dry_run: tuple[str, ...]) -> None:
    pisess.use(forked())

    found = json.loads(pisess.ok("prune", "--keep", "HEAD", "-o", "copy.jsonl", "--json", *dry_run).line)

    assert found == {
        "path": str(pisess.project / "copy.jsonl"),
        "bytesBefore": len(forked().data),
        "bytesAfter": len(WITHOUT_LEFT),
        "entriesBefore": 6,
        "entriesAfter": 4,
        "branchesDropped": 1,
    }
    assert (pisess.project / "copy.jsonl").exists() == (not dry_run)


def test_a_dry_run_lists_the_branches_and_writes_nothing(pisess: Pisess) -> None:
    pisess.use(forked())

    with unchanged(pisess.home):
        result = pisess.ok("prune", "--keep", "HEAD", "--dry-run", "-o", "copy.jsonl")

    assert LEFT_END in result.line
    assert result.line.endswith("left end")
    assert "6 to 4 entries" in result.err


def test_a_session_can_be_named(pisess: Pisess) -> None:
    path = forked().write(pisess.home / "named.jsonl")

    assert copy(pisess, path, "--keep", "HEAD") == WITHOUT_LEFT


def test_a_copy_of_a_copy_finds_nothing_more(pisess: Pisess) -> None:
    made = forked().label("mark", on="start").label("gone", on="left").bash("ls", "x" * 500)
    pisess.use(made)
    options = ("--keep", "HEAD", "--max-output", "99")
    copy(pisess, *options)
    pisess.use(pisess.home / "copy.jsonl")

    assert "nothing to leave out" in pisess.fail("prune", *options, "-o", "again.jsonl")
    assert pisess.ok("fsck").out == ""
    assert id_of(7) in pisess.ok("log", "--full", "--json").out
