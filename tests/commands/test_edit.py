import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, call, session, talk, text
from running import Pisess, only_appended, unchanged

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
THINKING = {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}


def last(file: Path) -> Any:
    return json.loads(file.read_bytes().splitlines()[-1])


def seen(pisess: Pisess, entry_id: str) -> Any:
    """The content of the entry's message as the model sees it; None where it is left out."""
    entries = json.loads(pisess.ok("show-context", "--json").line)["entries"]
    [messages] = [entry["messages"] for entry in entries if entry["id"] == entry_id]
    return messages[0]["content"] if messages else None


@pytest.fixture
def file(pisess: Pisess) -> Path:
    return pisess.use(talk())


RESULT = talk().id("def parse(): ...")
QUESTION = talk().id("Only rename it.")


def test_an_entry_is_left_out(pisess: Pisess, file: Path) -> None:
    with only_appended(file):
        result = pisess.ok("edit", RESULT, "--omit")

    assert result.line == last(file)["id"]
    assert (last(file)["type"], last(file)["targetId"], last(file)["replacement"]) == ("context_edit", RESULT, None)
    assert seen(pisess, RESULT) is None


def test_the_text_of_a_question_is_replaced(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", "HEAD~1", "-m", "Rename it.")

    assert last(file)["replacement"] == {"content": "Rename it."}


def test_the_text_of_an_answer_is_replaced_by_a_block(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", "HEAD", "-m", "Yes.")

    assert last(file)["replacement"] == {"content": [text("Yes.")]}


def test_a_custom_message_is_replaced(pisess: Pisess) -> None:
    file = pisess.use(session().user("one").custom_message("a note"))

    pisess.ok("edit", "HEAD", "-m", "a better note")

    assert last(file)["replacement"] == {"content": "a better note"}


def test_the_text_comes_from_a_file_or_stdin_without_its_last_newline(pisess: Pisess, file: Path) -> None:
    words = pisess.home / "words.txt"
    words.write_text("from a file\n\n")

    pisess.ok("edit", QUESTION, "-F", words)
    assert last(file)["replacement"] == {"content": "from a file\n"}
    pisess.ok("edit", QUESTION, "-F", "-", stdin=b"from stdin\n")
    assert last(file)["replacement"] == {"content": "from stdin"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([text("a"), IMAGE, text("b")], [text("new"), IMAGE]),
        ([IMAGE], [IMAGE, text("new")]),
        ([THINKING, text("a"), call("read")], [THINKING, text("new"), call("read")]),
        ([THINKING, call("read")], [THINKING, text("new"), call("read")]),
        ([THINKING], [THINKING, text("new")]),
        ([5, text("a"), {"type": "future"}], [5, text("new"), {"type": "future"}]),
        ([text("a"), text("b")], "new"),
        ([], "new"),
        (None, "new"),
    ],
)
def test_only_text_is_replaced(pisess: Pisess, before: Any, after: Any) -> None:
    file = pisess.use(session().message("user", before))

    pisess.ok("edit", "HEAD", "-m", "new")

    assert last(file)["replacement"] == {"content": after}


def test_the_last_edit_counts(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", RESULT, "--omit")
    pisess.ok("edit", RESULT, "-m", "shorter")

    assert seen(pisess, RESULT) == [text("shorter")]


@pytest.mark.parametrize(
    "content", ["words", [text("a"), IMAGE], [], None, [text("a"), text("b")], [{"type": "text", "text": 5}]]
)
@pytest.mark.parametrize("edit", [("--omit",), ("-m", "other")])
def test_what_was_edited_is_restored(pisess: Pisess, content: Any, edit: tuple[str, ...]) -> None:
    built = session().message("user", content)
    pisess.use(built)
    entry_id = built.values[0]["id"]
    before = seen(pisess, entry_id)
    pisess.ok("edit", entry_id, *edit)

    pisess.ok("edit", entry_id, "--restore")

    assert seen(pisess, entry_id) == before


def test_an_answer_is_restored_with_its_calls(pisess: Pisess, file: Path) -> None:
    entry_id = talk().id("Looking.")
    before = seen(pisess, entry_id)
    pisess.ok("edit", entry_id, "-m", "Searching.")

    pisess.ok("edit", entry_id, "--restore")

    assert seen(pisess, entry_id) == before


def test_what_was_not_edited_cannot_be_restored(pisess: Pisess, file: Path) -> None:
    with unchanged(file.parent):
        assert "no edit changes that entry" in pisess.fail("edit", "HEAD", "--restore")


def test_what_no_edit_can_hold_cannot_be_restored(pisess: Pisess) -> None:
    built = session().message("user", 5)
    entry_id = built.values[0]["id"]
    file = pisess.use(built.entry("context_edit", targetId=entry_id, replacement=None))

    with unchanged(file.parent):
        assert "no edit can hold what stands in that entry" in pisess.fail("edit", entry_id, "--restore")


@pytest.mark.parametrize("again", [("--omit",), ("-m", "new"), ("--restore",)])
def test_nothing_is_written_where_nothing_changes(pisess: Pisess, file: Path, again: tuple[str, ...]) -> None:
    pisess.ok("edit", RESULT, "--omit")
    pisess.ok("edit", RESULT, *again)

    with unchanged(file.parent):
        result = pisess.ok("edit", RESULT, *again)

    assert (result.out, result.err) == ("", "the model sees it so already\n")


def test_the_same_words_in_another_form_are_no_change(pisess: Pisess) -> None:
    file = pisess.use(session().message("user", [text("a"), text("b")]))

    with unchanged(file.parent):
        pisess.ok("edit", "HEAD", "-m", "a\nb")


def test_the_editor_opens_on_the_text_that_the_model_sees(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", QUESTION, "-m", "Rename it.\nQuickly.")

    pisess.ok("edit", QUESTION, "--editor", env={"EDITOR": "sed -i s/Quickly/Slowly/"})

    assert last(file)["replacement"] == {"content": "Rename it.\nSlowly."}


def test_the_editor_opens_on_the_original_of_what_is_left_out(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", RESULT, "--omit")

    pisess.ok("edit", RESULT, "--editor", env={"EDITOR": "sed -i s/parse/PARSE/"})

    assert last(file)["replacement"] == {"content": [text("def PARSE(): ...")]}


@pytest.mark.parametrize("words", ["one line", "with an end\n", "windows\r\nlines\r\n", "a lone \ud83d half", "日本"])
def test_an_editor_that_changes_nothing_writes_nothing(pisess: Pisess, words: str) -> None:
    built = session().raw(
        json.dumps(
            {"type": "message", "id": "0001beef", "parentId": None, "message": {"role": "user", "content": words}}
        )
    )
    file = pisess.use(built)

    with unchanged(file.parent):
        result = pisess.ok("edit", "0001beef", "--editor", env={"EDITOR": "true"})

    assert result.err == "the model sees it so already\n"


def test_an_editor_that_fails_writes_nothing(pisess: Pisess, file: Path) -> None:
    with unchanged(file.parent):
        assert "the editor failed with exit code 1" in pisess.fail("edit", "HEAD", "--editor", env={"EDITOR": "false"})


@pytest.mark.parametrize("words", ["", "  ", "\n"])
def test_an_empty_text_is_refused(pisess: Pisess, file: Path, words: str) -> None:
    with unchanged(file.parent):
        said = pisess.fail("edit", "HEAD", "-m", words)

    assert "the text is empty" in said
    assert "hint: --omit leaves the entry out" in said


def test_calls_stay_as_long_as_their_results_do(pisess: Pisess, file: Path) -> None:
    with unchanged(file.parent):
        said = pisess.fail("edit", "0005beef", "--omit")

    assert f"the results of its tool calls would stay without them, which models do not take ({RESULT})" in said


def test_calls_go_after_their_results(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", RESULT, "--omit")

    pisess.ok("edit", "0005beef", "--omit")

    assert seen(pisess, "0005beef") is None


def test_calls_go_where_that_is_forced(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", "0005beef", "--omit", "-f")

    assert seen(pisess, "0005beef") is None


def test_results_of_another_turn_do_not_hold_a_call(pisess: Pisess) -> None:
    built = (
        session().user("one").assistant("two", call("read")).user("three").assistant("four", call("read")).result("r")
    )
    pisess.use(built)

    pisess.ok("edit", built.id("two"), "--omit")


def refused(pisess: Pisess, built: SessionBuilder, target: str) -> str:
    file = pisess.use(built)
    with unchanged(file.parent):
        return pisess.fail("edit", target, "--omit")


def test_an_entry_of_another_branch_is_refused(pisess: Pisess) -> None:
    said = refused(pisess, talk(), "000abeef")

    assert "not on the current path" in said
    assert "hint: pisess checkout 000abeef" in said


def test_an_entry_that_a_compaction_has_summarised_is_refused(pisess: Pisess) -> None:
    said = refused(pisess, talk().compact("all"), "HEAD~1")

    assert "a compaction has summarised it" in said


@pytest.mark.parametrize("target", ["0001beef", "0003beef", "LEAF"])
def test_what_holds_no_content_to_edit_is_refused(pisess: Pisess, target: str) -> None:
    assert "holds no content for the model" in refused(pisess, talk().name("the talk"), target)


def test_an_edit_is_not_edited_itself(pisess: Pisess) -> None:
    said = refused(pisess, talk().omit("Renamed."), "HEAD")

    assert "that is an edit itself" in said
    assert f"hint: the entry that it edits is {talk().id('Renamed.')}" in said


def test_a_place_without_an_entry_is_refused(pisess: Pisess) -> None:
    assert "no entry stands there" in refused(pisess, talk(), "ROOT")


@pytest.mark.parametrize("ways", [[], ["--omit", "--restore"], ["-m", "x", "--editor"], ["-m", "x", "-F", "y"]])
def test_there_is_one_way_to_edit_at_a_time(pisess: Pisess, file: Path, ways: list[str]) -> None:
    with unchanged(file.parent):
        pisess.fail("edit", "HEAD", *ways, code=2)


def test_inside_pi_it_is_refused_unless_forced(pisess: Pisess, file: Path) -> None:
    inside = {"PI_SESSION_FILE": str(file)}

    with unchanged(file.parent):
        assert "Pi is at work on this session" in pisess.fail("edit", "HEAD", "--omit", env=inside)
        pisess.ok("edit", "HEAD", "--omit", "--dry-run", env=inside)
    pisess.ok("edit", "HEAD", "--omit", "-f", env=inside)

    assert last(file)["type"] == "context_edit"


def test_what_changes_is_said(pisess: Pisess, golden: Callable[[str, str], None]) -> None:
    lines = "\n".join(f"line {number}" for number in range(1, 13))
    pisess.use(session().user(lines))

    result = pisess.ok("edit", "HEAD", "-m", lines.replace("line 5", "line five\nand a half"))

    golden("edit-said", result.err)


def test_of_much_only_the_beginning_is_said(pisess: Pisess) -> None:
    pisess.use(session().user("\n".join(["x" * 300, *map(str, range(99))])))

    lines = pisess.ok("edit", "HEAD", "--omit").err.split("\n")

    assert lines[0] == "-" + "x" * 199 + "…"
    assert lines[24] == "(76 more lines)"
    assert len(lines) == 27


def test_a_dry_run_shows_all_that_would_change(pisess: Pisess, golden: Callable[[str, str], None]) -> None:
    file = pisess.use(session().user("\n".join(f"line {number}" for number in range(1, 41))))

    with unchanged(file.parent):
        result = pisess.ok("edit", "HEAD", "--omit", "--dry-run")

    golden("edit-dry-run", result.out)
    assert result.err == "saves 78 tokens (78 before, 0 now)\n"


def test_a_dry_run_is_coloured(pisess: Pisess, file: Path) -> None:
    out = pisess.ok("--color", "always", "edit", "HEAD", "-m", "Yes.", "--dry-run").out

    assert "\x1b[31m-Renamed.\x1b[0m\n\x1b[32m+Yes.\x1b[0m\n" in out


def test_an_answer_without_words_is_shown_by_what_it_calls(pisess: Pisess) -> None:
    pisess.use(session().user("one").assistant("", call("read", path="a.py")))

    assert pisess.ok("edit", "HEAD", "--omit", "--dry-run").out == "-(read: a.py)\n"


def test_tokens_that_come_back_are_said_too(pisess: Pisess, file: Path) -> None:
    pisess.ok("edit", RESULT, "--omit")

    assert "adds 4 tokens (0 before, 4 now)\n" in pisess.ok("edit", RESULT, "--restore").err


def test_words_from_the_file_cannot_steer_a_terminal(pisess: Pisess) -> None:
    pisess.use(session().user("\x1b[31mred\u202e"))

    said = pisess.ok("edit", "HEAD", "--omit").err

    assert "\x1b" not in said
    assert "\u202e" not in said


# JSON.


def test_an_edit_as_json(pisess: Pisess, file: Path) -> None:
    printed = json.loads(pisess.ok("edit", RESULT, "--omit", "--json").line)

    assert printed == {"id": last(file)["id"], "targetId": RESULT, "tokensBefore": 4, "tokensAfter": 0}


def test_a_dry_run_as_json_has_no_id(pisess: Pisess, file: Path) -> None:
    with unchanged(file.parent):
        printed = json.loads(pisess.ok("edit", RESULT, "--omit", "--dry-run", "--json").line)

    assert printed == {"id": None, "targetId": RESULT, "tokensBefore": 4, "tokensAfter": 0}


def test_what_changes_nothing_as_json_has_no_id_either(pisess: Pisess, file: Path) -> None:
    with unchanged(file.parent):
        result = pisess.ok("edit", RESULT, "-m", "def parse(): ...", "--json")

    assert json.loads(result.line) == {"id": None, "targetId": RESULT, "tokensBefore": 4, "tokensAfter": 4}
    assert result.err == "the model sees it so already\n"
