from builder import SessionBuilder, session, text
from pisess_cli.core.context.explanation import Explanation, explain
from pisess_cli.core.context.tokens import estimate_tokens


def fates(s: SessionBuilder) -> list[tuple[str, object]]:
    """The status of each entry of the path, and the type of the entry that decided it."""
    return [(fate.status, fate.by.type if fate.by else None) for fate in explain(s.path)[0]]


def fate(s: SessionBuilder, words: str) -> Explanation:
    return next(found for found in explain(s.path)[0] if found.entry.id == s.id(words))


def test_what_the_model_gets_is_kept() -> None:
    assert fates(session().user("a").assistant("b")) == [("kept", None), ("kept", None)]


def test_what_a_compaction_took_away_is_summarised_by_it() -> None:
    s = session().user("a").user("b").compact("sum", keep="b").user("c")

    assert fates(s) == [("summarised", "compaction"), ("kept", None), ("kept", None), ("kept", None)]


def test_an_older_compaction_is_not_for_the_model() -> None:
    s = session().user("a").compact("first", keep="a").user("b").compact("second", keep="a")

    assert fate(s, "first").status == "not for the model"
    assert fate(s, "first").why == "an older compaction"


def test_an_omitted_entry_is_omitted_by_its_edit() -> None:
    s = session().user("a").user("b").omit("a")

    assert fates(s) == [("omitted", "context_edit"), ("kept", None), ("not for the model", None)]


def test_a_replaced_entry_is_edited_by_its_last_edit() -> None:
    s = session().user("a").edit("a", "one").edit("a", "two")

    found = fate(s, "a")

    assert found.status == "edited"
    assert found.by is not None
    assert found.by.id == s.values[2]["id"]


def test_an_edit_that_says_nothing_of_a_replacement_still_edits() -> None:
    s = session().user("a").entry("context_edit", targetId=session().user("a").id("a"))

    assert fate(s, "a").status == "edited"


def test_bookkeeping_is_not_for_the_model() -> None:
    s = session().model("acme", "one").user("a").label("x")

    assert [found.why for found in explain(s.path)[0]] == ["bookkeeping", "", "bookkeeping"]


def test_what_gives_no_message_says_why() -> None:
    s = session().branch_summary("").entry("from_the_future")

    assert [found.why for found in explain(s.path)[0]] == ["its summary is empty", "no message"]


def test_a_command_that_is_not_sent_says_so() -> None:
    assert fate(session().bash("ls", excludeFromContext=True), "ls").why == "run with !!, so not sent"


def test_tokens_are_those_of_the_messages_that_are_left() -> None:
    s = session().user("a" * 40).user("b" * 80).edit("a" * 40, "short").compact("sum", keep="a" * 40)

    found, projection = explain(s.path)

    assert sum(each.tokens for each in found) == sum(map(estimate_tokens, projection.messages))
    assert fate(s, "a" * 40).tokens == estimate_tokens({"role": "user", "content": [text("short")]})


def test_what_is_not_kept_has_no_tokens() -> None:
    s = session().user("a" * 40).user("b" * 40).omit("b" * 40).label("x").compact("sum")

    assert [found.tokens for found in explain(s.path)[0] if found.status != "kept"] == [0, 0, 0, 0]


def test_an_empty_path_has_no_fates() -> None:
    assert explain([])[0] == []
