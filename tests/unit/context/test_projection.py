import pytest

from builder import SessionBuilder, session
from pisess_cli.core.context.messages import convert_to_llm
from pisess_cli.core.context.projection import (
    build_context_entries,
    build_session_path,
    build_session_projection,
    context_path,
)
from pisess_cli.core.format.entry_text import message_text
from pisess_cli.core.format.javascript import UNDEFINED, JsonValue, Maybe
from pisess_cli.core.tree.tree import Tree


def context(s: SessionBuilder) -> list[object]:
    """The ids of the context entries at the place where the session is."""
    return [entry.id for entry in build_context_entries(s.path)]


def heard(s: SessionBuilder) -> list[str]:
    """What the model would hear, in words."""
    return [message_text(message) for message in convert_to_llm(build_session_projection(s.path).messages)]


def summary(words: str) -> str:
    return (
        "The conversation history before this point was compacted into the following summary:"
        f"\n\n<summary>\n{words}\n</summary>"
    )


# The path.


def test_no_leaf_gives_no_path() -> None:
    assert build_session_path(session().user("hi").tree, None) == []
    assert build_session_path(Tree([]), "unknown!") == []


@pytest.mark.parametrize("unknown", ["unknown!", "", UNDEFINED, 0, 7])
def test_an_unknown_leaf_gives_the_path_of_the_last_entry(unknown: Maybe) -> None:
    s = session().user("hi").user("a").branch_at("hi").user("b")

    assert [entry.id for entry in build_session_path(s.tree, unknown)] == s.ids("hi", "b")


@pytest.mark.parametrize("unusable", [..., "", 0, False])
def test_a_last_entry_without_a_usable_id_still_ends_the_path(unusable: object) -> None:
    s = session().user("hi").entry("message", id=unusable, message={"role": "user", "content": "last"})

    path = build_session_path(s.tree, s.tree.leaf_id)

    assert [entry.message.get("content") for entry in path] == ["hi", "last"]


# What a compaction leaves.


def test_without_a_compaction_all_of_the_path_is_context() -> None:
    s = session().system("Be brief.").user("hi").assistant("yes").label("good")

    assert context(s) == [entry.id for entry in s.path]


def test_a_compaction_comes_first_then_what_it_keeps_then_what_follows() -> None:
    s = session().user("old").user("kept").assistant("kept too").compact("sum", keep="kept").user("new")

    assert context(s) == s.ids("sum", "kept", "kept too", "new")


def test_system_messages_are_not_kept_but_may_follow() -> None:
    s = session().user("kept").system("before").compact("sum", keep="kept").system("after")

    assert context(s) == s.ids("sum", "kept", "after")


def test_only_the_newest_compaction_counts() -> None:
    s = session().user("a").compact("first", keep="a").user("b").compact("second", keep="b").user("c")

    assert context(s) == s.ids("second", "b", "c")


def test_an_older_compaction_in_the_kept_range_says_nothing() -> None:
    s = session().user("a").compact("first", keep="a").user("b").compact("second", keep="a").user("c")

    assert context(s) == s.ids("second", "a", "first", "b", "c")
    assert heard(s) == [summary("second"), "a", "b", "c"]


def test_a_compaction_that_names_itself_keeps_nothing() -> None:
    s = session().user("old").compact("sum").user("new")

    assert context(s) == s.ids("sum", "new")


@pytest.mark.parametrize("first_kept", [..., None, "", "unknown!", 5])
def test_a_compaction_that_names_nothing_on_its_path_keeps_nothing(first_kept: object) -> None:
    s = session().user("old").compact("sum", firstKeptEntryId=first_kept).user("new")

    assert context(s) == s.ids("sum", "new")


def test_an_entry_of_another_branch_or_further_down_is_not_kept() -> None:
    s = session().user("top").user("other").branch_at("top").compact("sum", keep="other").user("new")
    assert context(s) == s.ids("sum", "new")

    s.value("sum")["firstKeptEntryId"] = s.id("new")
    assert context(s) == s.ids("sum", "new")


def test_a_compaction_of_another_branch_does_not_count() -> None:
    s = session().user("top").compact("sum").user("other").branch_at("top").user("here")

    assert heard(s) == ["top", "here"]


# Edits.


def test_the_last_edit_of_an_entry_counts() -> None:
    s = session().user("secret").edit("secret", "one").edit("secret", "two")

    assert heard(s) == ["two"]


def test_an_omitted_entry_is_not_heard_and_can_come_back() -> None:
    s = session().user("secret").user("hi").omit("secret")
    assert heard(s) == ["hi"]

    assert heard(s.edit("secret", "secret")) == ["secret", "hi"]


def test_an_edit_holds_on_its_own_branch_only() -> None:
    s = session().user("secret").omit("secret").user("here").branch_at("secret").user("there")

    assert heard(s) == ["secret", "there"]


def test_an_edit_that_a_compaction_took_away_holds_no_more() -> None:
    s = session().user("kept").user("x").compact("sum", keep="kept").user("new")
    assert heard(s) == [summary("sum"), "kept", "x", "new"]

    cut = session().user("a").omit("a").user("b").compact("sum", keep="b").user("new")
    assert heard(cut) == [summary("sum"), "b", "new"]


def test_an_edit_in_the_kept_range_holds() -> None:
    s = session().user("secret").omit("secret").user("b").compact("sum", keep="secret")

    assert heard(s) == [summary("sum"), "b"]


def test_a_compaction_can_be_omitted() -> None:
    s = session().user("old").compact("sum").user("new")
    s.entry("context_edit", targetId=s.id("sum"), replacement=None)

    assert heard(s) == ["new"]


# Settings.


def settings(s: SessionBuilder) -> tuple[object, object]:
    projection = build_session_projection(s.path)
    return projection.model, projection.thinking_level


def test_without_any_there_is_no_model_and_no_thinking() -> None:
    assert settings(session().user("hi")) == (None, "off")


def test_the_last_change_or_answer_decides_the_model() -> None:
    changed = session().assistant("yes", provider="acme", model="one").model("other", "two")
    answered = session().model("other", "two").assistant("yes", provider="acme", model="one")

    assert settings(changed)[0] == {"provider": "other", "modelId": "two"}
    assert settings(answered)[0] == {"provider": "acme", "modelId": "one"}


def test_settings_before_a_compaction_hold() -> None:
    s = session().model("acme", "one").thinking("high").user("old").compact("sum")

    assert settings(s) == ({"provider": "acme", "modelId": "one"}, "high")


def test_settings_of_another_branch_do_not() -> None:
    s = session().user("hi").thinking("high").branch_at("hi").user("b")

    assert settings(s)[1] == "off"


def test_fields_that_a_setting_lacks_are_left_out() -> None:
    s = session().entry("model_change", provider="acme").entry("thinking_level_change")

    projection = build_session_projection(s.path).as_json()

    assert projection["model"] == {"provider": "acme"}
    assert "thinkingLevel" not in projection


# As JSON, and from the end.


def test_a_projection_is_printed_with_entries_model_and_level() -> None:
    s = session().user("hi").label("good")
    message: JsonValue = {"role": "user", "content": "hi", "timestamp": 1_772_359_201_000}

    assert build_session_projection(s.path).as_json() == {
        "entries": [
            {"id": s.id("hi"), "type": "message", "messages": [message]},
            {"id": s.values[1]["id"], "type": "label", "messages": []},
        ],
        "model": None,
        "thinkingLevel": "off",
    }


def taken(s: SessionBuilder) -> list[object]:
    return [entry.id for entry in context_path(reversed(s.path))]


def test_a_path_is_read_up_to_what_its_compaction_keeps_once_the_settings_are_known() -> None:
    s = session().user("far").thinking("off").assistant("old").user("kept").compact("sum", keep="kept").user("new")

    assert taken(s) == [entry.id for entry in s.path][1:]


def test_without_settings_a_path_is_read_to_its_root() -> None:
    s = session().user("far").user("kept").compact("sum", keep="kept")

    assert taken(s) == s.ids("far", "kept", "sum")
