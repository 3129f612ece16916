import json
import sys
from pathlib import Path

import pytest

from builder import SessionBuilder, call, session
from pisess_cli.core.session.session import Session
from running import Pisess, only_appended, unchanged


def branching() -> SessionBuilder:
    """a - b - c, and d - e off a; the leaf is e."""
    return session().user("a").user("b").label("x").user("c").branch_at("a").user("d").user("e")


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[1:] if line]


def head(path: Path) -> object:
    found = Session(path).head
    return None if found is None else found.id


# Where to.


def test_a_checkout_moves_head_and_prints_the_new_entry(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    with only_appended(path):
        printed = pisess.ok("checkout", "x").line

    made = entries(path)[-1]
    assert made["id"] == printed
    assert made["type"] == "custom"
    assert made["customType"] == "pisess.checkout"
    assert made["parentId"] == s.id("b")
    assert made["data"] == {"from": s.id("e")}
    assert head(path) == s.id("b")


def test_what_was_done_is_said_on_stderr(pisess: Pisess) -> None:
    pisess.use(branching())

    said = pisess.ok("checkout", "x").err

    assert "the leaf is now" in said
    assert "checkout - goes back" in said


def test_a_dash_goes_back_to_where_the_leaf_was(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    pisess.ok("checkout", "x")
    pisess.ok("checkout", "-")
    assert head(path) == s.id("e")

    pisess.ok("checkout", "-")
    assert head(path) == s.id("b")


def test_without_a_move_before_there_is_nowhere_to_go_back_to(pisess: Pisess) -> None:
    path = pisess.use(session().user("a").user("b"))

    with unchanged(path.parent):
        assert "not moved that often" in pisess.fail("checkout", "-")


def test_the_root_is_before_the_first_entry(pisess: Pisess) -> None:
    path = pisess.use(branching())

    pisess.ok("checkout", "--root")

    assert entries(path)[-1]["parentId"] is None
    assert head(path) is None


def test_root_can_be_named_too(pisess: Pisess) -> None:
    path = pisess.use(branching())

    pisess.ok("checkout", "ROOT")

    assert entries(path)[-1]["parentId"] is None


def test_before_an_entry_is_its_real_parent(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    pisess.ok("checkout", "--before", s.id("c"))

    label = next(value for value in s.values if value["type"] == "label")
    assert entries(path)[-1]["parentId"] == label["id"]


def test_before_the_first_entry_is_the_root(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    pisess.ok("checkout", "--before", s.id("a"))

    assert entries(path)[-1]["parentId"] is None


def test_before_the_root_there_is_nothing(pisess: Pisess) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        pisess.fail("checkout", "--before", "ROOT", code=2)


def test_the_tip_of_an_entry_is_the_newest_below_it(pisess: Pisess) -> None:
    s = branching().branch_at("b").user("f").checkout("e")
    path = pisess.use(s)

    pisess.ok("checkout", "--tip", "x")

    assert head(path) == s.id("f")


# Where nothing has to be done, and where nothing can be.


@pytest.mark.parametrize("revision", ["HEAD", "@", "LEAF"])
def test_where_one_is_already_nothing_is_written(pisess: Pisess, revision: str) -> None:
    path = pisess.use(session().user("a").label("x"))

    with unchanged(path.parent):
        result = pisess.ok("checkout", revision)

    assert result.out == ""
    assert "there already" in result.err


def test_a_dry_run_says_where_to_and_writes_nothing(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    with unchanged(path.parent):
        result = pisess.ok("checkout", "--dry-run", "x")

    assert result.out == ""
    assert f"would move the leaf to {s.id('b')} (b)" in result.err


@pytest.mark.parametrize("args", [[], ["x", "--root"]])
def test_one_place_to_go_has_to_be_named(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "say where to go" in pisess.fail("checkout", *args, code=2)


@pytest.mark.parametrize("args", [["x", "--before", "--tip"], ["--root", "--before"], ["--root", "--tip"]])
def test_one_way_to_go_there_has_to_be_chosen(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "do not go together" in pisess.fail("checkout", *args, code=2)


@pytest.mark.parametrize("revision", ["unknown", "HEAD~99", "00"])
def test_what_names_nothing_moves_nothing(pisess: Pisess, revision: str) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert revision in pisess.fail("checkout", revision)


def test_the_leaf_cannot_move_into_another_session(pisess: Pisess) -> None:
    path = pisess.use(branching())
    other = session("other").user("there").write(pisess.home / "other.jsonl")

    with unchanged(path.parent):
        assert "another session" in pisess.fail("checkout", f"{other}:HEAD", code=2)


def test_while_pi_is_at_work_on_the_session_its_leaf_is_left_alone(pisess: Pisess) -> None:
    path = pisess.use(branching())
    inside = {"PI_SESSION_FILE": str(path)}

    with unchanged(path.parent):
        result = pisess("checkout", "x", env=inside)
    assert result.code == 1
    assert "Pi is at work" in result.err

    pisess.ok("checkout", "-f", "x", env=inside)


def test_an_old_file_is_migrated_and_every_id_that_was_shown_still_holds(pisess: Pisess) -> None:
    path = pisess.use(session().user("a").user("b").raw("{torn").user("c").version(1))
    shown = pisess.ok("log", "--format", "%H").lines

    pisess.ok("checkout", shown[1])

    assert b'"version":3' in path.read_bytes().split(b"\n")[0]
    assert b"\n{torn\n" in path.read_bytes()
    assert head(path) == shown[1]


# With a summary.


def summary(path: Path) -> dict[str, object]:
    made = entries(path)[-1]
    assert made["type"] == "branch_summary"
    return made


PREAMBLE = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"


def test_a_summary_of_what_is_left_stands_in_the_place_of_the_move(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    printed = pisess.ok("checkout", "x", "-m", " It did not work.\n").line

    made = summary(path)
    assert list(made) == ["type", "id", "parentId", "timestamp", "fromId", "summary", "details", "fromHook"]
    assert made["id"] == printed
    assert made["parentId"] == s.id("b")
    assert made["fromId"] == s.id("e")
    assert made["summary"] == f"{PREAMBLE}It did not work."
    assert made["fromHook"] is False


def test_the_files_of_the_branch_that_is_left_are_listed(pisess: Pisess) -> None:
    s = session().user("a").user("b").branch_at("a")
    s.assistant("c", call("read", path="r.py"), call("edit", path="e.py"))
    path = pisess.use(s)

    pisess.ok("checkout", s.id("b"), "-m", "Done.")

    made = summary(path)
    files = "\n\n<read-files>\nr.py\n</read-files>\n\n<modified-files>\ne.py\n</modified-files>"
    assert made["summary"] == f"{PREAMBLE}Done.{files}"
    assert made["details"] == {"readFiles": ["r.py"], "modifiedFiles": ["e.py"]}


def test_a_summary_comes_from_a_file_or_from_stdin(pisess: Pisess, tmp_path: Path) -> None:
    path = pisess.use(branching())
    (tmp_path / "summary.md").write_bytes(b"From a \xff file.\n")

    pisess.ok("checkout", "x", "-F", tmp_path / "summary.md")
    assert summary(path)["summary"] == f"{PREAMBLE}From a \ufffd file."

    pisess.ok("checkout", "-", "-F", "-", stdin=b"From stdin.")
    assert summary(path)["summary"] == f"{PREAMBLE}From stdin."


def test_a_summarizer_is_asked_for_what_is_left_alone(pisess: Pisess, tmp_path: Path) -> None:
    path = pisess.use(branching())
    command = f"cat > {tmp_path}/prompt; echo Summarised."

    pisess.ok("checkout", "x", "--summarizer", command, "--instructions", "Mind the cache.")

    assert summary(path)["summary"] == f"{PREAMBLE}Summarised."
    prompt = (tmp_path / "prompt").read_text()
    assert "<conversation>\n[User]: d\n\n[User]: e\n</conversation>" in prompt
    assert prompt.endswith("Additional focus: Mind the cache.")


def test_the_editor_writes_the_summary(pisess: Pisess, tmp_path: Path) -> None:
    path = pisess.use(branching())
    editor = f"{sys.executable} -c \"import sys; open(sys.argv[1], 'r+').write('Edited.' + chr(10))\""

    pisess.ok("checkout", "x", "--edit", env={"EDITOR": editor, "TMPDIR": str(tmp_path)})

    assert str(summary(path)["summary"]).startswith(f"{PREAMBLE}Edited.")


@pytest.mark.parametrize("args", [["-m", ""], ["-m", " \n"], ["-F", "/dev/null"], ["--summarizer", "true"], ["--edit"]])
def test_an_empty_summary_aborts(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "the summary is empty" in pisess.fail("checkout", "x", *args, env={"EDITOR": "true"})


@pytest.mark.parametrize("args", [["--summarizer", "exit 3"], ["--edit"]])
def test_a_summarizer_that_fails_leaves_the_file_as_it_was(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "exit code" in pisess.fail("checkout", "x", *args, env={"EDITOR": "false"})


def test_a_summary_has_one_source(pisess: Pisess) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        pisess.fail("checkout", "x", "-m", "a", "-F", "b", code=2)


def test_a_file_that_is_not_there_is_named(pisess: Pisess) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "gone.md" in pisess.fail("checkout", "x", "-F", "gone.md")
