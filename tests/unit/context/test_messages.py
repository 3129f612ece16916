import pytest

from builder import SessionBuilder, call, session, text
from pisess_cli.core.context.messages import bash_text, convert_to_llm, entry_messages, project_entry
from pisess_cli.core.format.content import content_text
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, shown

START_MS = 1_772_359_200_000


def messages(s: SessionBuilder) -> list[JsonObject]:
    """The messages of the last entry by itself."""
    return entry_messages(s.entries[-1])


def edited(s: SessionBuilder, replacement: JsonValue) -> list[JsonObject]:
    """The messages of the last entry after an edit."""
    target = s.entries[-1]
    s.entry("context_edit", targetId=s.values[-1]["id"], replacement=replacement)
    return project_entry(target, s.entries[-1])


# Entries and their messages.


def test_a_message_entry_gives_its_message() -> None:
    s = session().message("user", "hi", more=[1])

    assert messages(s) == [{"role": "user", "content": "hi", "more": [1], "timestamp": START_MS + 1000}]


@pytest.mark.parametrize(
    ("role", "content"), [("system", ""), ("user", []), ("assistant", []), ("toolResult", []), ("other", None)]
)
def test_missing_content_becomes_empty_by_role(role: str, content: JsonValue) -> None:
    [absent] = entry_messages(session().entry("message", message={"role": role}).entries[0])
    [null] = entry_messages(session().entry("message", message={"role": role, "content": None}).entries[0])

    assert null["content"] == content
    assert absent.get("content") == content


@pytest.mark.parametrize("message", [..., None, 5, [], "hi", {}])
def test_an_entry_without_a_message_gives_none(message: object) -> None:
    assert messages(session().entry("message", message=message)) == []


def test_a_custom_message_gives_one_of_role_custom() -> None:
    s = session().custom_message("remember", details={"a": 1})

    assert messages(s) == [
        {
            "role": "custom",
            "customType": "note",
            "content": "remember",
            "display": True,
            "details": {"a": 1},
            "timestamp": START_MS + 1000,
        }
    ]


def test_a_custom_message_without_content_has_an_empty_list() -> None:
    [message] = messages(session().entry("custom_message", customType="note"))

    assert message == {"role": "custom", "customType": "note", "content": [], "timestamp": START_MS + 1000}


def test_a_branch_summary_gives_one_of_role_branch_summary() -> None:
    s = session().branch_summary("tried it")

    assert messages(s) == [
        {"role": "branchSummary", "summary": "tried it", "fromId": "root", "timestamp": START_MS + 1000}
    ]


def test_an_empty_branch_summary_gives_none() -> None:
    assert messages(session().branch_summary("")) == []


def test_a_compaction_gives_its_system_message_and_its_summary() -> None:
    system = {"role": "system", "content": "Be brief."}
    s = session().compact("sum", systemMessage=system)

    assert messages(s) == [
        system,
        {"role": "compactionSummary", "summary": "sum", "tokensBefore": 100, "timestamp": START_MS + 1000},
    ]


@pytest.mark.parametrize("system", [None, "", 0])
def test_a_compaction_without_a_system_message_gives_its_summary_alone(system: object) -> None:
    assert len(messages(session().compact("sum", systemMessage=system))) == 1


@pytest.mark.parametrize(
    "s",
    [
        session().custom("x"),
        session().name("x"),
        session().model("a", "b"),
        session().thinking("high"),
        session().entry("usage"),
        session().entry("from_the_future", content="hi"),
        session().entry(5, content="hi"),
    ],
)
def test_other_entries_give_none(s: SessionBuilder) -> None:
    assert messages(s) == []


def test_the_time_of_a_message_that_is_made_is_null_where_the_entry_has_no_date() -> None:
    [message] = messages(session().entry("branch_summary", summary="s", timestamp="yesterday"))

    assert message["timestamp"] is None


# Edits.


def test_a_null_replacement_leaves_nothing() -> None:
    assert edited(session().user("hi"), None) == []
    assert edited(session().compact("sum"), None) == []


@pytest.mark.parametrize("role", ["user", "assistant", "toolResult", "custom"])
def test_a_replacement_changes_the_content_alone(role: str) -> None:
    [message] = edited(session().message(role, [text("old")], more=1), {"content": [text("new")], "role": "system"})

    assert message == {"role": role, "content": [text("new")], "more": 1, "timestamp": START_MS + 1000}


@pytest.mark.parametrize("role", ["assistant", "toolResult"])
def test_a_text_becomes_a_block_where_the_role_has_blocks(role: str) -> None:
    [message] = edited(session().message(role, []), {"content": "new"})

    assert message["content"] == [text("new")]


@pytest.mark.parametrize("role", ["user", "custom"])
def test_a_text_stays_a_text_where_the_role_may_have_one(role: str) -> None:
    [message] = edited(session().message(role, []), {"content": "new"})

    assert message["content"] == "new"


@pytest.mark.parametrize("role", ["system", "bashExecution", "other"])
def test_other_roles_are_not_changed(role: str) -> None:
    [message] = edited(session().message(role, "old"), {"content": "new"})

    assert message["content"] == "old"


def test_a_summary_is_not_changed() -> None:
    [message] = edited(session().compact("sum"), {"content": "new"})

    assert message["summary"] == "sum"


def test_a_custom_message_is_changed() -> None:
    [message] = edited(session().custom_message("old"), {"content": "new"})

    assert message["content"] == "new"


@pytest.mark.parametrize("replacement", [{}, 5, "new", []])
def test_a_replacement_without_content_takes_the_content_away(replacement: JsonValue) -> None:
    [message] = edited(session().user("old"), replacement)

    assert "content" not in message


# For the model.


@pytest.mark.parametrize("role", ["system", "user", "assistant", "toolResult"])
def test_messages_of_the_models_roles_go_as_they_are(role: str) -> None:
    message: JsonObject = {"role": role, "content": 5, "more": None}

    assert convert_to_llm([message]) == [message]


@pytest.mark.parametrize("role", ["hookMessage", "", None, 5, []])
def test_messages_of_other_roles_do_not_go(role: JsonValue) -> None:
    assert convert_to_llm([{"role": role, "content": "hi"}]) == []
    assert convert_to_llm([{}]) == []


def test_a_custom_message_goes_as_the_user() -> None:
    blocks: JsonValue = [call("x")]

    assert convert_to_llm([{"role": "custom", "content": "hi", "display": False, "timestamp": 5}]) == [
        {"role": "user", "content": [text("hi")], "timestamp": 5}
    ]
    assert convert_to_llm([{"role": "custom", "content": blocks}]) == [{"role": "user", "content": blocks}]


def test_the_wording_around_a_compaction_is_pis() -> None:
    [message] = convert_to_llm([{"role": "compactionSummary", "summary": "sum", "timestamp": 5}])

    wrapped = (
        "The conversation history before this point was compacted into the following summary:\n\n"
        "<summary>\nsum\n</summary>"
    )
    assert message == {"role": "user", "content": [text(wrapped)], "timestamp": 5}


def test_the_wording_around_a_branch_summary_is_pis() -> None:
    [message] = convert_to_llm([{"role": "branchSummary", "summary": "sum", "timestamp": None}])

    wrapped = (
        "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nsum</summary>"
    )
    assert message == {"role": "user", "content": [text(wrapped)], "timestamp": None}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"output": "a\nb"}, "Ran `ls`\n```\na\nb\n```"),
        ({"output": ""}, "Ran `ls`\n(no output)"),
        ({}, "Ran `ls`\n(no output)"),
        ({"output": "a", "exitCode": 0}, "Ran `ls`\n```\na\n```"),
        ({"output": "a", "exitCode": None}, "Ran `ls`\n```\na\n```"),
        ({"output": "a", "exitCode": 2}, "Ran `ls`\n```\na\n```\n\nCommand exited with code 2"),
        ({"output": "a", "exitCode": 2, "cancelled": True}, "Ran `ls`\n```\na\n```\n\n(command cancelled)"),
        (
            {"output": "a", "truncated": True, "fullOutputPath": "/t/x"},
            "Ran `ls`\n```\na\n```\n\n[Output truncated. Full output: /t/x]",
        ),
        ({"output": "a", "truncated": True}, "Ran `ls`\n```\na\n```"),
    ],
)
def test_a_bash_execution_is_told_in_pis_words(fields: JsonObject, words: str) -> None:
    assert bash_text({"command": "ls", **fields}) == words


def test_a_bash_execution_goes_as_the_user_unless_it_is_excluded() -> None:
    [message] = convert_to_llm([{"role": "bashExecution", "command": "ls", "timestamp": 5}])

    assert message == {"role": "user", "content": [text("Ran `ls`\n(no output)")], "timestamp": 5}
    assert convert_to_llm([{"role": "bashExecution", "command": "ls", "excludeFromContext": True}]) == []


# Values as text.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a", "a"),
        (None, "null"),
        (UNDEFINED, "undefined"),
        (True, "true"),
        (1.0, "1"),
        ([1, None, [2, []], "x"], "1,,2,,x"),
        ({"a": 1}, "[object Object]"),
        ([{}], "[object Object]"),
        ([], ""),
    ],
)
def test_a_value_in_a_text_is_shown_as_javascript_shows_it(value: JsonValue, words: str) -> None:
    assert shown(value) == words


def test_lists_in_lists_are_shown_without_recursion() -> None:
    deep: JsonValue = ["x"]
    for _ in range(100_000):
        deep = [deep]

    assert shown(deep) == "x"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hi", "hi"),
        ([text("a"), call("x"), text("b")], "a\nb"),
        ([{"type": "text", "text": 5}, {"type": "text"}, "text", None], "\n"),
        ({"type": "text", "text": "a"}, ""),
        (None, ""),
    ],
)
def test_the_text_of_a_content_is_that_of_its_text_blocks(content: JsonValue, words: str) -> None:
    assert content_text(content) == words
