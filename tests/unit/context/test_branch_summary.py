import pytest

from in_memory import Story, call, tokens
from pisess_cli.core.context.branch_summary import (
    BranchPreparation,
    branch_prompt,
    branch_template,
    collect_entries,
    finish_branch_summary,
    prepare_branch_entries,
)
from pisess_cli.core.errors import Refused
from pisess_cli.core.format.content import content_text
from pisess_cli.core.format.javascript import JsonObject


def left(story: Story, old: str, target: str) -> tuple[list[object], object]:
    found = collect_entries(story.up_from(old), story.up_from(target))
    return [entry.id for entry in found.entries], found.common_ancestor and found.common_ancestor.id


def branched() -> Story:
    """e1 - e2 - e3 - e4, and e2 - e5 - e6."""
    return Story().user("1").assistant("2").user("3").assistant("4").at("e2").user("5").assistant("6")


def texts(preparation: BranchPreparation) -> list[str]:
    def text(message: JsonObject) -> str:
        return content_text(message.get("content")) or str(message.get("summary", ""))

    return [text(message) for message in preparation.messages]


# What is left


def test_what_is_left_begins_below_the_common_ancestor():
    assert left(branched(), "e4", "e6") == (["e3", "e4"], "e2")


def test_going_up_leaves_what_is_below():
    assert left(branched(), "e4", "e1") == (["e2", "e3", "e4"], "e1")


@pytest.mark.parametrize("target", ["e2", "e4"])
def test_staying_or_going_down_leaves_nothing(target):
    assert left(branched(), "e2", target) == ([], "e2")


def test_going_to_another_root_leaves_the_whole_path():
    assert left(branched().at(None).user("7"), "e6", "e7") == (["e1", "e2", "e5", "e6"], None)


def test_an_unknown_target_leaves_the_whole_path():
    assert left(branched(), "e4", "nowhere") == (["e1", "e2", "e3", "e4"], None)


def test_from_nowhere_nothing_is_left():
    assert left(branched(), "nowhere", "e4") == ([], None)


def test_no_more_is_read_than_it_takes_to_find_where_the_paths_part():
    story = Story()
    for number in range(100):
        story.user(str(number))
    old, target = story.up_from("e100"), story.up_from("e98")

    collect_entries(old, target)

    assert next(old).id == "e97"


# What is summarised


def test_tool_results_are_left_out_but_system_messages_are_not():
    story = Story().system("be good").user("q").assistant("a").result("text")

    assert texts(prepare_branch_entries(story.path)) == ["be good", "q", "a"]


def test_summaries_are_told_even_empty_ones():
    story = Story().compaction("one", "e1", systemMessage={"role": "system", "content": "x"}).branch_summary("")

    assert texts(prepare_branch_entries(story.path)) == ["one", ""]


def test_bookkeeping_tells_nothing():
    story = Story().put("model_change").label("e1").put("custom").put("future_type")

    assert prepare_branch_entries(story.path) == ([], 0, ([], []))


def test_edits_among_the_entries_count():
    story = Story().user("q").assistant("a").edit("e1", {"content": "edited"}).omit("e2").omit("nowhere")

    assert texts(prepare_branch_entries(story.path)) == ["edited"]


def test_the_newest_messages_that_fit_are_taken():
    story = Story().user(tokens(10)).user(tokens(20)).user(tokens(30))

    taken = prepare_branch_entries(story.path, budget=50)

    assert (texts(taken), taken.total_tokens) == ([tokens(20), tokens(30)], 50)


def test_what_does_not_fit_ends_it_even_if_older_ones_would_fit():
    story = Story().user(tokens(1)).user(tokens(21)).user(tokens(30))

    assert prepare_branch_entries(story.path, budget=50).total_tokens == 30


@pytest.mark.parametrize("budget", [0, -1])
def test_no_budget_is_no_limit(budget):
    assert prepare_branch_entries(Story().user(tokens(9)).user(tokens(9)).path, budget).total_tokens == 18


@pytest.mark.parametrize(("newest", "total"), [(89, 139), (90, 90)])
def test_a_summary_is_taken_over_the_budget_while_a_tenth_is_free(newest, total):
    story = Story().user(tokens(1)).branch_summary(tokens(50)).user(tokens(newest))

    assert prepare_branch_entries(story.path, budget=100).total_tokens == total


def test_files_come_from_calls_and_from_branch_summaries_beyond_the_budget():
    story = Story().branch_summary(tokens(90), details={"readFiles": ["a.py"], "modifiedFiles": ["b.py"]})
    story.assistant("", call("read", path="beyond.py")).assistant(tokens(90), call("write", path="too-big.py"))
    story.assistant("", call("read", path="b.py"), call("read", path="c.py"))

    taken = prepare_branch_entries(story.path, budget=50)

    assert taken.file_lists == (["a.py", "c.py"], ["b.py", "too-big.py"])


def test_files_of_extensions_of_compactions_and_of_nested_calls_are_not_listed():
    details = {"readFiles": ["a.py"], "modifiedFiles": []}
    story = Story().branch_summary("s", fromHook=True, details=details).compaction("s", "e1", details=details)
    story.result("x", nestedCalls={"calls": [{"name": "read", "arguments": {"path": "a.py"}}]})

    assert prepare_branch_entries(story.path).file_lists == ([], [])


def test_messages_of_any_type_can_be_prepared():
    story = Story().user(None).put("message", message=5).put("message").message("assistant", content=3)
    story.put("custom_message", content=None).put("branch_summary", summary=[1]).put("compaction")

    assert prepare_branch_entries(story.path, budget=10).total_tokens == 0


# Prompt and text


def test_the_prompt_frames_the_conversation_and_names_pis_headings_without_critical_context():
    prompt = branch_prompt(prepare_branch_entries(Story().user("q").path), "the tests")

    assert prompt.startswith("<conversation>\n[User]: q\n</conversation>\n\n")
    assert "\n## Next Steps\n" in prompt
    assert "## Critical Context" not in prompt
    assert prompt.endswith("\n\nAdditional focus: the tests")


def test_the_template_shows_the_branch():
    assert "\n[User]: q\n" in branch_template(prepare_branch_entries(Story().user("q").path))


def test_a_branch_summary_is_introduced_and_ends_with_the_files():
    prepared = prepare_branch_entries(Story().assistant("", call("read", path="a.py")).path)

    assert finish_branch_summary(prepared, "tried it\n") == (
        "The user explored a different conversation branch before returning here.\n"
        "Summary of that exploration:\n\ntried it\n\n<read-files>\na.py\n</read-files>"
    )


def test_an_empty_branch_summary_is_refused():
    with pytest.raises(Refused, match="empty"):
        finish_branch_summary(prepare_branch_entries(Story().user("q").path), "\n")
