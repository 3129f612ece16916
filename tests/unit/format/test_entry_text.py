import pytest

from builder import SessionBuilder, call, session, text
from pisess_cli.core.format.entry_text import call_line, entry_text, message_text, subject
from pisess_cli.core.format.javascript import JsonObject


def says(s: SessionBuilder) -> str:
    return entry_text(s.entries[-1])


def one_line(s: SessionBuilder) -> str:
    return subject(s.entries[-1])


# The whole text.


@pytest.mark.parametrize(
    ("s", "words"),
    [
        (session().user("a\nb"), "a\nb"),
        (session().message("user", [text("a"), text("b")]), "a\nb"),
        (session().assistant("Looking.", call("read", path="/x")), "Looking."),
        (session().assistant("", call("read", path="/x")), ""),
        (session().result("output"), "output"),
        (session().bash("ls", "a\nb\n"), "$ ls\na\nb"),
        (session().bash("ls"), "$ ls"),
        (session().custom_message("note"), "note"),
        (session().compact("sum"), "sum"),
        (session().compact("sum", systemMessage={"role": "system", "content": "Be brief."}), "sum"),
        (session().branch_summary("tried"), "tried"),
        (session().user("a").edit("a", "b"), "b"),
        (session().user("a").omit("a"), ""),
        (session().user("a").label("good"), "good"),
        (session().name("A name"), "A name"),
        (session().model("acme", "one"), ""),
        (session().custom("x", {"text": "hidden"}), ""),
        (session().entry("from_the_future", content="hi"), ""),
    ],
)
def test_the_text_of_an_entry_is_what_it_says(s: SessionBuilder, words: str) -> None:
    assert says(s) == words


@pytest.mark.parametrize("odd", [None, 5, [], {}, [None, 5, {"type": "text"}], {"text": "x"}])
def test_odd_content_says_nothing(odd: object) -> None:
    assert says(session().message("user", odd)).strip() == ""
    assert says(session().message("assistant", odd)).strip() == ""


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"role": "bashExecution", "command": None, "output": 5}, "$ \n5"),
        ({"role": "compactionSummary"}, ""),
        ({"role": "branchSummary", "summary": ["a", "b"]}, "a,b"),
        ({"role": 5, "content": "hi"}, "hi"),
        ({}, ""),
    ],
)
def test_messages_of_any_shape_have_words(message: JsonObject, words: str) -> None:
    assert message_text(message) == words


# One line.


@pytest.mark.parametrize(
    ("s", "line"),
    [
        (session().user("\n\n  first  \nsecond"), "first"),
        (session().user(""), "(empty)"),
        (session().message("user", [{"type": "image"}, {"type": "image"}]), "(image, image)"),
        (session().assistant("", call("read", path="/x"), call("bash", command="ls\nrm")), "read: /x, bash: ls"),
        (session().assistant("Looking.", call("read", path="/x")), "Looking."),
        (session().bash("ls", "a"), "$ ls"),
        (session().compact("\nsum\nmore"), "sum"),
        (session().compact("## Goal\nTidy up\n"), "Tidy up"),
        (session().compact("## Goal"), "## Goal"),
        (session().model("acme", "one"), "model acme/one"),
        (session().thinking("high"), "thinking level high"),
        (session().name("A name"), "name A name"),
        (session().name(""), "no name"),
        (session().custom("pisess.checkout"), "pisess.checkout"),
        (session().entry("usage", provider="a", model="b", kind="title"), "usage of a/b (title)"),
        (session().entry("from_the_future"), ""),
    ],
)
def test_an_entry_in_one_line_says_what_it_says_first_or_what_it_does(s: SessionBuilder, line: str) -> None:
    assert one_line(s) == line


def test_a_branch_summary_in_one_line_is_without_the_words_that_introduce_it() -> None:
    words = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"

    assert one_line(session().branch_summary(f"{words}## Goal\nTidy up")) == "Tidy up"


def test_edits_and_labels_say_what_they_are_about() -> None:
    s = session().user("hi")
    target = s.id("hi")

    assert one_line(s.label("good")) == f"label good on {target}"
    assert one_line(s.clear_label("hi")) == f"no label on {target}"
    assert one_line(s.omit("hi")) == f"omit {target}"
    assert one_line(s.edit("hi", "new\nwords")) == f"replace {target}: new"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"path": " /x ", "command": "ls"}, "tool: /x"),
        ({"command": "ls\nrm"}, "tool: ls"),
        ({"pattern": "*.py"}, "tool: *.py"),
        ({"other": 1.0}, 'tool: {"other":1}'),
        ({"path": 5}, 'tool: {"path":5}'),
        ({}, "tool"),
        (None, "tool"),
        ([1], "tool: [1]"),
        ("raw", 'tool: "raw"'),
    ],
)
def test_a_tool_call_in_one_line_names_what_it_is_about(arguments: object, line: str) -> None:
    assert call_line({"name": "tool", "arguments": arguments}) == line  # type: ignore[dict-item]  # any JSON


def test_a_tool_call_without_a_name_is_told_too() -> None:
    assert call_line({}) == "null"
