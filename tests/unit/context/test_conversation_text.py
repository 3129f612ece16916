import pytest

from in_memory import Story, call
from pisess_cli.core.context.conversation_text import conversation_text, serialize_conversation
from pisess_cli.core.context.projection import build_session_projection
from pisess_cli.core.format.javascript import JsonValue


def told(story: Story) -> str:
    return conversation_text(build_session_projection(story.path).messages)


def text(value: str) -> JsonValue:
    return {"type": "text", "text": value}


def test_parts_are_told_apart_by_blank_lines():
    assert (
        told(Story().user("hi").assistant("yes").result("done"))
        == "[User]: hi\n\n[Assistant]: yes\n\n[Tool result]: done"
    )


def test_blocks_of_a_question_follow_without_a_break_and_those_of_an_answer_on_lines():
    story = Story().user([text("a"), text("b")]).message("assistant", content=[text("c"), text("d")])

    assert told(story) == "[User]: ab\n\n[Assistant]: c\nd"


def test_what_has_no_text_is_left_out():
    story = Story().user("").result("").user([{"type": "image", "data": ""}]).message("assistant", content=[])

    assert told(story) == ""


def test_an_answer_with_an_empty_text_block_is_told():
    assert told(Story().assistant("")) == "[Assistant]: "


def test_system_messages_and_thinking_are_left_out():
    story = Story().system("be good").message("assistant", content=[{"type": "thinking", "thinking": "hm"}])

    assert told(story) == ""


def test_tool_calls_list_their_arguments_as_json():
    calls = [call("read", path="a.py", limit=2.0), call("ls")]

    assert (
        told(Story().message("assistant", content=calls)) == '[Assistant tool calls]: read(path="a.py", limit=2); ls()'
    )


def test_arguments_stand_in_javascript_order():
    block: JsonValue = {"type": "toolCall", "name": "f", "arguments": {"path": "x", "2": 0, "1": None}}

    assert told(Story().message("assistant", content=[block])) == '[Assistant tool calls]: f(1=null, 2=0, path="x")'


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [(["a", 1], '0="a", 1=1'), ("s🙂", '0="s", 1="\\ud83d", 2="\\ude42"'), (None, ""), (5, "")],
)
def test_arguments_that_are_no_object_are_listed_by_index(arguments, shown):
    block: JsonValue = {"type": "toolCall", "name": "f", "arguments": arguments}

    assert told(Story().message("assistant", content=[block])) == f"[Assistant tool calls]: f({shown})"


def test_a_tool_result_of_2000_units_stays_whole():
    assert told(Story().result("🙂" * 1000)) == f"[Tool result]: {'🙂' * 1000}"


def test_a_longer_tool_result_is_cut_and_says_how_much_is_missing():
    assert told(Story().result("x" * 2345)) == f"[Tool result]: {'x' * 2000}\n\n[... 345 more characters truncated]"


def test_the_cut_does_not_go_through_a_surrogate_pair():
    cut = told(Story().result("x" * 1999 + "🙂🙂"))

    assert cut == f"[Tool result]: {'x' * 1999}\n\n[... 3 more characters truncated]"


def test_lone_surrogates_outlive_the_cut():
    cut = told(Story().result("\ud83d" + "x" * 1999 + "🙂"))

    assert cut == "[Tool result]: \ud83d" + "x" * 1999 + "\n\n[... 2 more characters truncated]"


def test_a_long_question_is_not_cut():
    assert told(Story().user("x" * 5000)) == f"[User]: {'x' * 5000}"


def test_bash_and_summaries_are_told_as_the_user_and_what_is_not_for_the_model_is_not():
    story = Story().message("bashExecution", command="ls", output="a")
    story.message("bashExecution", command="env", output="SECRET", excludeFromContext=True)
    story.branch_summary("tried it")

    assert told(story).startswith("[User]: Ran `ls`\n```\na\n```\n\n[User]: The following is a summary of a branch")
    assert "SECRET" not in told(story)


def test_content_of_any_type_is_passed_over():
    odd: list[JsonValue] = [None, 5, [None, 1, {"type": "text"}, {"type": 3}, {"type": "toolCall"}], {"a": 1}]
    messages = [{"role": role, "content": content} for role in ("user", "assistant", "toolResult") for content in odd]

    assert serialize_conversation(messages) == "[Assistant]: \n\n[Assistant tool calls]: undefined()"
