import json
from collections.abc import Callable

import pytest

from builder import SessionBuilder, call, session, talk, text, tokens_used
from running import Pisess, unchanged

Golden = Callable[[str, str], None]


def compacted() -> SessionBuilder:
    """A session with something of everything that changes a context."""
    return (
        session()
        .model("acme", "one")
        .thinking("high")
        .system("Be brief.")
        .user("Old question")
        .assistant("Old answer", call("read", path="a.py"))
        .user("Kept question")
        .assistant("Kept answer", usage=tokens_used(900))
        .compact("They talked.", keep="Kept question")
        .user("A secret")
        .bash("ls", "a.py")
        .bash("env", "KEY=1", excludeFromContext=True)
        .label("here")
        .omit("A secret")
        .edit("Kept answer", "A better answer")
        .custom_message("A note.")
    )


def context(pisess: Pisess, *args: object) -> dict[str, object]:
    found: dict[str, object] = json.loads(pisess.ok("show-context", "--json", *args).line)
    return found


def heard(pisess: Pisess, *args: object) -> list[tuple[str, object]]:
    """Role and content of each message that goes to the model."""
    messages = [json.loads(line) for line in pisess.ok("show-context", "--llm", *args).lines]
    return [(message["role"], message["content"]) for message in messages]


SUMMARY = (
    "The conversation history before this point was compacted into the following summary:"
    "\n\n<summary>\nThey talked.\n</summary>"
)


# For the model.


def test_what_goes_to_the_model_is_one_message_a_line(pisess: Pisess) -> None:
    pisess.use(compacted())

    assert heard(pisess) == [
        ("user", [text(SUMMARY)]),
        ("user", "Kept question"),
        ("assistant", [text("A better answer")]),
        ("user", [text("Ran `ls`\n```\na.py\n```")]),
        ("user", [text("A note.")]),
    ]


def test_a_context_can_be_shown_at_any_entry(pisess: Pisess) -> None:
    s = compacted()
    pisess.use(s)

    assert [content for _, content in heard(pisess, s.id("Old question"))] == ["Be brief.", "Old question"]
    assert heard(pisess, "ROOT") == []


def test_an_entry_of_another_session_can_be_named(pisess: Pisess) -> None:
    pisess.use(talk())
    other = session("other").user("there").write(pisess.home / "other.jsonl")

    assert heard(pisess, f"{other}:HEAD") == [("user", "there")]


def test_bookkeeping_behind_head_counts(pisess: Pisess) -> None:
    pisess.use(session().user("hi").thinking("high"))

    assert context(pisess)["thinkingLevel"] == "high"
    assert context(pisess, "HEAD")["thinkingLevel"] == "high"


# As JSON.


def test_the_projection_is_one_object(pisess: Pisess) -> None:
    s = compacted()
    pisess.use(s)

    found = context(pisess)

    assert list(found) == ["entries", "model", "thinkingLevel"]
    assert found["model"] == {"provider": "acme", "modelId": "one"}
    assert found["thinkingLevel"] == "high"
    entries = found["entries"]
    assert isinstance(entries, list)
    assert [list(entry) for entry in entries] == [["id", "type", "messages"]] * len(entries)
    assert [entry["id"] for entry in entries[:3]] == s.ids("They talked.", "Kept question", "Kept answer")


def test_numbers_and_texts_keep_their_value(pisess: Pisess) -> None:
    message = '{"role":"x","n":1.0,"big":12345678901234567890,"huge":1e400,"half":"\\ud800","2":1,"1":2}'
    pisess.use(session().raw(f'{{"type":"message","id":"odd1","message":{message}}}'))

    [shown] = json.loads(pisess.ok("show-context", "--json").line, parse_int=float)["entries"][0]["messages"]

    # JSON has no Infinity; JavaScript writes null for it.
    assert shown == json.loads(message.replace("1e400", "null"), parse_int=float)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_context_of_every_version_is_the_same(pisess: Pisess, version: int) -> None:
    pisess.use(compacted_without_edits())
    wanted = heard(pisess)
    pisess.use(compacted_without_edits().version(version))

    assert heard(pisess) == wanted


def compacted_without_edits() -> SessionBuilder:
    return session().user("old").user("kept").message("custom", "note").compact("sum", keep="kept").user("new")


# Tokens and explanations.


def test_the_tokens_of_a_context_are_a_number(pisess: Pisess) -> None:
    pisess.use(session().user("x" * 40).assistant("y" * 20))

    assert pisess.ok("show-context", "--tokens").line == "15"


def test_tokens_as_json_tell_what_pi_counts_too(pisess: Pisess) -> None:
    pisess.use(session().user("x" * 40).assistant("y" * 20, usage=tokens_used(900)).user("z" * 8))

    counted = json.loads(pisess.ok("show-context", "--tokens", "--json").line)

    assert counted == {
        "tokens": 17,
        "contextTokens": 902,
        "usageTokens": 900,
        "trailingTokens": 2,
        "messages": [10, 5, 2],
    }


def test_an_explanation_tells_the_fate_of_each_entry(pisess: Pisess, golden: Golden) -> None:
    pisess.use(compacted())

    golden("show-context-explain", pisess.ok("show-context", "--explain").out)


def test_an_explanation_as_json_sums_up_to_the_tokens(pisess: Pisess) -> None:
    s = compacted()
    pisess.use(s)

    told = json.loads(pisess.ok("show-context", "--explain", "--json").line)

    assert [entry["id"] for entry in told["entries"]] == [value["id"] for value in s.values]
    assert told["tokens"] == sum(entry["tokens"] for entry in told["entries"])
    assert str(told["tokens"]) == pisess.ok("show-context", "--tokens").line
    omitted = next(entry for entry in told["entries"] if entry["id"] == s.id("A secret"))
    assert (omitted["status"], omitted["tokens"]) == ("omitted", 0)


# For people.


@pytest.mark.parametrize(
    ("name", "args"),
    [("show-context", []), ("show-context-system", ["--system", "0007"]), ("show-context-0007", ["0007"])],
)
def test_a_context_looks_as_it_did(pisess: Pisess, golden: Golden, name: str, args: list[str]) -> None:
    pisess.use(compacted())

    golden(name, pisess.ok("show-context", *args).out)


@pytest.mark.parametrize("args", [[], ["--json"], ["--llm"], ["--tokens"], ["--explain"], ["--system"]])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_showing_a_context_changes_nothing(pisess: Pisess, version: int, args: list[str]) -> None:
    pisess.use(talk().version(version).without_final_newline())

    with unchanged(pisess.home):
        pisess.ok("show-context", *args)


def test_a_message_without_content_does_not_break_the_rest(pisess: Pisess) -> None:
    pisess.use(session().user("hi").entry("message").entry("message", message={"role": "user"}).user("bye"))

    assert heard(pisess) == [("user", "hi"), ("user", []), ("user", "bye")]


@pytest.mark.parametrize(
    ("option", "output"),
    [
        ("--json", '{"entries":[],"model":null,"thinkingLevel":"off"}\n'),
        ("--llm", ""),
        ("--tokens", "0\n"),
    ],
)
def test_a_session_without_entries_has_an_empty_context(pisess: Pisess, option: str, output: str) -> None:
    pisess.use(session())

    assert pisess.ok("show-context", option).out == output
