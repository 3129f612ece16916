import pytest

from in_memory import Story, call, tokens, usage
from pisess_cli.core.changes.compact import append_compaction
from pisess_cli.core.context.compaction import (
    Preparation,
    compaction_fields,
    compaction_path,
    compaction_prompts,
    finish_summary,
    join_answers,
    prepare_compaction,
    prepare_keeping,
    prepare_keeping_none,
    summary_template,
    tokens_after,
)
from pisess_cli.core.context.summary_prompts import read_template
from pisess_cli.core.errors import Refused
from pisess_cli.core.format.content import content_text
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject
from pisess_cli.core.format.new_entries import build_header, line_of
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session


def two_turns() -> Story:
    """Four messages of 10 tokens each."""
    return Story().user(tokens(10)).assistant(tokens(10)).user(tokens(10)).assistant(tokens(10))


def told_turns() -> Story:
    return Story().user("q1").assistant("a1").user("q2").assistant("a2")


def prepared(story: Story, keep: float) -> Preparation:
    found = prepare_compaction(story.path, keep)
    assert found is not None
    return found


def cut(story: Story, keep: float) -> tuple[object, bool] | None:
    found = prepare_compaction(story.path, keep)
    return None if found is None or found.first_kept is None else (found.first_kept.id, found.is_split_turn)


def texts(messages: list[JsonObject]) -> list[str]:
    return [content_text(message.get("content")) or str(message.get("summary")) for message in messages]


# The cut


@pytest.mark.parametrize(
    ("keep", "wanted"),
    [
        (-1, ("e4", True)),
        (0, ("e4", True)),
        (10, ("e4", True)),
        (11, ("e3", False)),
        (20, ("e3", False)),
        (21, ("e2", True)),
        (30, ("e2", True)),
        (31, None),
        (1000, None),
    ],
)
def test_the_newest_messages_are_kept_up_to_the_budget(keep, wanted):
    assert cut(two_turns(), keep) == wanted


@pytest.mark.parametrize("keep", [10, 50, 51, 100, 101])
def test_tool_results_are_kept_with_their_call(keep):
    story = Story().user(tokens(10)).assistant("", call("read")).result(tokens(50)).result(tokens(50))

    assert cut(story, keep) == ("e2", True)


def test_nothing_is_to_be_done_right_after_a_compaction():
    assert prepare_compaction(two_turns().compaction("s", "e1").path, 10) is None


def test_a_label_after_a_compaction_lifts_that():
    assert cut(two_turns().compaction("s", "e3").label("e1"), 10) == ("e4", True)


def test_an_empty_path_is_nothing_to_compact():
    assert prepare_compaction([], 10) is None


def test_a_path_without_messages_is_nothing_to_compact():
    assert prepare_compaction(Story().put("model_change").put("custom").path, 0) is None


def test_bookkeeping_before_the_cut_is_kept_and_makes_the_turn_before_it_a_split_one():
    story = Story().user(tokens(10)).assistant(tokens(10)).label("e1").system("be good").put("model_change")
    story.user(tokens(10)).assistant(tokens(10))

    found = prepared(story, 20)

    assert cut(story, 20) == ("e5", True)
    assert found.messages_to_summarize == []
    assert len(found.turn_prefix_messages) == 2


def test_an_omitted_attempt_at_the_end_does_not_hold_its_question_back():
    story = Story().user(tokens(10)).assistant(tokens(10)).user(tokens(10)).assistant(tokens(10), stopReason="error")
    story.omit("e4")

    assert cut(story, 10) == ("e4", True)
    assert texts(prepared(story, 10).turn_prefix_messages) == [tokens(10)]
    assert cut(story, 11) == ("e2", True)


def test_an_edit_of_something_else_after_an_omitted_attempt_keeps_the_question():
    story = Story().user(tokens(10)).assistant(tokens(10)).user(tokens(10)).assistant(tokens(10), stopReason="error")
    story.omit("e4").edit("e1", {"content": tokens(10)})

    assert cut(story, 10) == ("e3", False)


def test_what_an_edit_says_is_what_counts_and_is_summarised():
    story = two_turns().edit("e1", {"content": "short"})

    assert texts(prepared(story, 20).messages_to_summarize) == ["short", tokens(10)]


def test_system_messages_are_not_summarised():
    story = Story().system("be good").user("q1").assistant("a1").user("q2")

    assert texts(prepared(story, 1).messages_to_summarize) == ["q1", "a1"]


# After an earlier compaction


def compacted_before(**fields) -> Story:
    return told_turns().compaction("before", "e3", **fields).user(tokens(10)).assistant(tokens(10))


def test_what_an_earlier_compaction_kept_is_summarised_with_its_summary_at_hand():
    found = prepared(compacted_before(), 20)

    assert texts(found.messages_to_summarize) == ["q2", "a2"]
    assert found.previous_summary == "before"


def test_an_omitted_compaction_hands_no_summary_on():
    found = prepared(compacted_before().omit("e5"), 20)

    assert found.previous_summary is None


def test_the_end_of_a_path_from_what_its_compaction_keeps_gives_the_same():
    story = compacted_before(details={"readFiles": ["a.py"], "modifiedFiles": []})

    end = compaction_path(story.up_from("e7"))

    assert [entry.id for entry in end] == ["e3", "e4", "e5", "e6", "e7"]
    assert prepare_compaction(end, 20) == prepared(story, 20)


def test_the_whole_path_is_taken_where_the_kept_entry_is_missing():
    story = told_turns().compaction("before", "nowhere").user("q3")

    assert len(compaction_path(story.up_from("e6"))) == 6


# A cut of one's own


def test_one_can_name_the_first_entry_that_is_kept():
    story = two_turns()

    found = prepare_keeping(story.path, story.entry("e3"))

    assert found is not None
    assert (found.first_kept, found.is_split_turn) == (story.entry("e3"), False)
    assert [entry.source.id for entry in found.summarized] == ["e1", "e2"]
    assert [entry.source.id for entry in found.kept] == ["e3", "e4"]


def test_keeping_from_an_answer_on_splits_its_turn():
    story = told_turns()

    found = prepare_keeping(story.path, story.entry("e4"))

    assert found is not None
    assert texts(found.messages_to_summarize) == ["q1", "a1"]
    assert texts(found.turn_prefix_messages) == ["q2"]


def test_keeping_from_bookkeeping_before_a_question_on_splits_no_turn():
    story = Story().user("q1").assistant("a1").label("e1").system("be good").user("q2")

    found = prepare_keeping(story.path, story.entry("e3"))

    assert found is not None
    assert not found.is_split_turn


def test_a_tool_result_without_its_call_cannot_be_kept():
    story = Story().user("q1").assistant("", call("read")).label("e1").result("text")

    with pytest.raises(Refused, match=r"without its call \(e3\)"):
        prepare_keeping(story.path, story.entry("e3"))


def test_what_was_summarised_before_cannot_be_kept():
    story = compacted_before()

    with pytest.raises(Refused, match=r"\(e1\)"):
        prepare_keeping(story.path, story.entry("e1"))


def test_nothing_before_the_entry_is_nothing_to_summarise():
    story = told_turns()

    assert prepare_keeping(story.path, story.entry("e1")) is None


def test_one_can_keep_nothing():
    found = prepare_keeping_none(told_turns().path)

    assert found is not None
    assert (found.first_kept, found.is_split_turn, found.kept) == (None, False, [])
    assert texts(found.messages_to_summarize) == ["q1", "a1", "q2", "a2"]


def test_what_a_compaction_at_the_end_kept_can_be_summarised_too():
    found = prepare_keeping_none(told_turns().compaction("before", "e3").path)

    assert found is not None
    assert texts(found.messages_to_summarize) == ["q2", "a2"]


# Prompts and texts


def test_one_prompt_asks_about_whole_turns():
    (prompt,) = compaction_prompts(prepared(told_turns(), 2))

    assert prompt.startswith("<conversation>\n[User]: q1\n\n[Assistant]: a1\n</conversation>\n\n")
    assert "<previous-summary>" not in prompt


def test_the_prompt_holds_the_previous_summary_and_the_instructions():
    (prompt,) = compaction_prompts(prepared(compacted_before(), 20), "the tests")

    assert "</conversation>\n\n<previous-summary>\nbefore\n</previous-summary>\n\n" in prompt
    assert prompt.endswith("\n\nAdditional focus: the tests")


def test_the_prompt_names_pis_headings():
    (prompt,) = compaction_prompts(prepared(told_turns(), 2))

    headings = [line for line in prompt.split("\n") if line.startswith("#")]
    assert headings == [
        "## Goal",
        "## Constraints & Preferences",
        "## Progress",
        "### Done",
        "### In Progress",
        "### Blocked",
        "## Key Decisions",
        "## Next Steps",
        "## Critical Context",
    ]


def test_two_prompts_ask_about_a_split_turn():
    history, turn = compaction_prompts(prepared(told_turns(), 1))

    assert history.startswith("<conversation>\n[User]: q1\n\n[Assistant]: a1\n</conversation>")
    assert turn.startswith("# Conversation\n[User]: q2\n\n# Instructions\n")
    assert [line for line in turn.split("\n") if line.startswith("## ")] == [
        "## Original Request",
        "## Progress So Far",
        "## Context Needed to Continue",
    ]


def test_the_answers_about_a_split_turn_are_joined():
    found = prepared(told_turns(), 1)

    assert join_answers(found, ["old\n", "new\n"]) == "old\n\n---\n\n**Turn Context (split turn):**\n\nnew"


def test_a_split_turn_with_nothing_before_it_says_so():
    found = prepared(Story().user("q1").assistant("a1"), 1)

    assert len(compaction_prompts(found)) == 1
    assert join_answers(found, ["new"]).startswith("No prior history.\n\n---\n\n")


def split_after_a_compaction(**fields) -> Story:
    summary = "before\n\n<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"
    return told_turns().compaction(summary, "e5", **fields).user(tokens(10)).assistant(tokens(10))


def test_a_split_turn_with_nothing_new_before_it_takes_the_previous_summary_without_its_file_blocks():
    found = prepared(split_after_a_compaction(details={"readFiles": ["a.py"], "modifiedFiles": ["b.py"]}), 1)

    summary = finish_summary(found, join_answers(found, ["new"]))

    assert summary == (
        "before\n\n---\n\n**Turn Context (split turn):**\n\nnew"
        "\n\n<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"
    )


def test_file_blocks_whose_files_are_not_carried_on_stay_in_the_previous_summary():
    found = prepared(split_after_a_compaction(fromHook=True, details={"readFiles": ["a.py"]}), 1)

    assert join_answers(found, ["new"]).startswith("before\n\n<read-files>\na.py\n</read-files>")


@pytest.mark.parametrize("answers", [["", "new"], ["old", " \n"]])
def test_an_empty_answer_is_refused(answers):
    with pytest.raises(Refused, match="empty"):
        join_answers(prepared(told_turns(), 1), answers)


def test_an_empty_summary_is_refused():
    with pytest.raises(Refused, match="empty"):
        finish_summary(prepared(told_turns(), 1), " \n\t\n")


def test_the_template_shows_what_is_summarised_below_the_line_that_ends_the_summary():
    template = summary_template(prepared(told_turns(), 1))

    assert template.startswith("## Goal\n")
    assert "[User]: q1" in template
    assert "[User]: q2" in template
    assert read_template(f"My words\n\n{template[template.index('# ---') :]}", template) == "My words"


def test_the_template_goes_on_from_the_previous_summary():
    template = summary_template(prepared(compacted_before(), 20))

    assert template.startswith("before\n")
    assert read_template(template, template) == ""


# The entry


def test_the_entry_carries_the_files_of_the_calls_and_of_the_compaction_before():
    story = compacted_before(details={"readFiles": ["a.py", "b.py"], "modifiedFiles": ["c.py"]})
    story.assistant("", call("edit", path="b.py"), call("read", path="d.py"), call("read", file_path="no.py"))
    story.user(tokens(10))

    found = prepared(story, 10)

    assert compaction_fields(found, "s")["details"] == {
        "readFiles": ["a.py", "d.py"],
        "modifiedFiles": ["b.py", "c.py"],
    }


def test_files_of_what_is_kept_are_not_listed():
    story = Story().user("q1").assistant("", call("read", path="kept.py"))

    assert prepared(story, 1).file_lists == ([], [])


def test_without_a_kept_entry_the_first_kept_id_is_left_open():
    found = prepare_keeping_none(told_turns().path)

    assert found is not None
    assert compaction_fields(found, "s")["firstKeptEntryId"] is UNDEFINED


def test_tokens_before_are_those_of_the_whole_context():
    story = told_turns().assistant("a3", usage=usage(5000)).user("word")

    assert prepared(story, 1).tokens_before == 5001


def test_the_entry_replays_the_system_messages_at_its_own_time():
    found = prepared(Story().system("be good").user("q1").assistant("a1").user("q2"), 1)

    replayed = compaction_fields(found, "s", timestamp_ms=7)["systemMessage"]
    assert replayed == {"role": "system", "content": "be good", "timestamp": 7}


def test_the_entry_is_appended_below_the_leaf(tmp_path):
    story = told_turns()
    file = tmp_path / "session.jsonl"
    header = build_header("s1", "2026-01-02T03:04:05.000Z", "/home/me/app")
    file.write_bytes(line_of(header) + b"".join(entry.raw + b"\n" for entry in story.entries))

    with Appender(file) as appender:
        made = append_compaction(appender, prepared(story, 2), "s")

    assert Session(file).path_to(Session(file).leaf)[-1].value == made.value
    assert (made.parent_id, made.value["firstKeptEntryId"], made.value["fromHook"]) == ("e4", "e3", False)


def test_tokens_after_are_system_message_summary_and_what_is_kept():
    story = Story().system(tokens(7)).user(tokens(100)).assistant(tokens(100)).user(tokens(10)).omit("e2")
    story.assistant(tokens(10))

    found = prepared(story, 20)

    assert tokens_after(story.path, found) == 27
    assert tokens_after(story.path, found, tokens(30)) == 57


def test_tokens_after_keeping_nothing_are_the_summary():
    story = two_turns()
    found = prepare_keeping_none(story.path)

    assert found is not None
    assert tokens_after(story.path, found, tokens(3)) == 3
