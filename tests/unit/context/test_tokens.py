import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_memory import Story, call, usage
from pisess_cli.core.context.projection import build_session_projection
from pisess_cli.core.context.tokens import (
    estimate_context_tokens,
    estimate_projected_context_tokens,
    estimate_tokens,
    usage_total,
)
from pisess_cli.core.format.javascript import JsonValue, as_number

IMAGE: JsonValue = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def text(value: str) -> JsonValue:
    return {"type": "text", "text": value}


def projected(story: Story) -> tuple[float, int | None]:
    estimate = estimate_projected_context_tokens(build_session_projection(story.path), story.path)
    return estimate.tokens, estimate.last_usage_index


def test_four_units_are_a_token_and_a_rest_is_rounded_up():
    assert [estimate_tokens({"role": "user", "content": "x" * n}) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_a_character_beyond_the_bmp_is_two_units():
    assert estimate_tokens({"role": "user", "content": "🙂🙂🙂"}) == 2


@pytest.mark.parametrize("role", ["user", "custom", "toolResult", "system"])
def test_an_image_is_1200_tokens(role):
    assert estimate_tokens({"role": role, "content": [text("word"), IMAGE]}) == 1201


def test_an_image_in_an_answer_counts_nothing():
    assert estimate_tokens({"role": "assistant", "content": [text("word"), IMAGE]}) == 1


def test_an_answer_counts_its_thinking_but_not_the_signature():
    thinking: JsonValue = {"type": "thinking", "thinking": "x" * 8, "thinkingSignature": "y" * 99}

    assert estimate_tokens({"role": "assistant", "content": [thinking]}) == 2


def test_a_tool_call_counts_its_name_and_its_arguments_as_compact_json():
    block = call("read", path="a.py", limit=1.0)

    assert estimate_tokens({"role": "assistant", "content": [block]}) == math.ceil(
        len('read{"path":"a.py","limit":1}') / 4
    )


def test_arguments_that_are_null_count_as_the_word():
    block: JsonValue = {"type": "toolCall", "name": "", "arguments": None}

    assert estimate_tokens({"role": "assistant", "content": [block]}) == 1


def test_an_answer_whose_content_is_a_string_counts_nothing():
    assert estimate_tokens({"role": "assistant", "content": "x" * 40}) == 0


def test_a_system_message_counts_its_sections_and_the_tools_it_adds():
    message = {"role": "system", "content": "abcd", "sections": {"a": "12345678", "b": None}, "toolsAdded": []}

    assert estimate_tokens(message) == math.ceil((4 + 8 + len("[]")) / 4)


def test_tools_that_are_removed_count_nothing():
    assert estimate_tokens({"role": "system", "content": "", "toolsRemoved": [{"name": "read"}]}) == 0


def test_a_bash_execution_counts_even_if_it_is_not_for_the_model():
    message = {"role": "bashExecution", "command": "ls", "output": "xy", "excludeFromContext": True}

    assert estimate_tokens(message) == 1


@pytest.mark.parametrize("role", ["branchSummary", "compactionSummary"])
def test_summaries_count_their_text(role):
    assert estimate_tokens({"role": role, "summary": "x" * 12}) == 3


def test_unknown_roles_count_nothing():
    assert estimate_tokens({"role": "oracle", "content": "x" * 40}) == 0


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**350), 10**350) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_block = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "thinking", "toolCall"])},
    optional={"text": _json, "thinking": _json, "name": _json, "arguments": _json},
)
_message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "toolResult", "system", "bashExecution", "compactionSummary"])},
    optional={
        "content": _json | st.lists(_block | _json, max_size=3),
        "usage": _json | st.fixed_dictionaries({}, optional={"totalTokens": _json, "input": _json, "output": _json}),
        "stopReason": _json,
        "sections": _json,
        "toolsAdded": _json,
        "command": _json,
        "output": _json,
        "summary": _json,
    },
)


@given(st.lists(_message, max_size=4))
def test_whatever_stands_in_messages_can_be_counted(messages):
    estimate = estimate_context_tokens(messages)

    assert estimate.trailing_tokens >= 0


def test_usage_is_the_total_where_there_is_one():
    assert usage_total(usage(90, input=1)) == 90


def test_usage_without_a_total_is_the_sum_of_its_parts():
    assert usage_total(usage(0, input=1, output=2, cacheRead=3, cacheWrite=4)) == 10


@pytest.mark.parametrize(
    "counted",
    [
        usage(0),
        usage(-5, input=9),
        {"input": 5, "output": 5},
        None,
        [],
        usage(0, input="9"),
        {**usage(), "totalTokens": "9"},
    ],
)
def test_usage_that_is_nothing_negative_or_incomplete_does_not_count(counted):
    assert usage_total(counted) is None


def test_integers_beyond_a_double_are_infinite():
    assert [as_number(10**350), as_number(-(10**350)), as_number(2**53 + 1)] == [math.inf, -math.inf, float(2**53)]


def test_a_context_is_its_last_usage_and_estimates_of_what_follows():
    story = Story().user("x" * 400).assistant("a", usage=usage(50)).assistant("b", usage=usage(70)).user("x" * 12)

    assert estimate_context_tokens(build_session_projection(story.path).messages) == (73, 70, 3, 2)


@pytest.mark.parametrize("stop", ["aborted", "error"])
def test_the_usage_of_a_broken_answer_does_not_count(stop):
    story = Story().user("x" * 8).assistant("abcd", usage=usage(50), stopReason=stop)

    assert estimate_context_tokens(build_session_projection(story.path).messages) == (3, 0, 3, None)


def test_a_cut_off_answer_has_usage_that_counts():
    story = Story().assistant("abcd", usage=usage(50), stopReason="length")

    assert estimate_context_tokens(build_session_projection(story.path).messages).tokens == 50


def test_usage_from_before_an_edit_is_not_trusted():
    story = Story().user("x" * 8).assistant("abcd", usage=usage(50)).edit("nowhere", None)

    assert projected(story) == (3, None)


def test_usage_from_before_a_compaction_is_not_trusted():
    story = Story().user("x" * 8).assistant("abcd", usage=usage(50)).compaction("y" * 8, "e2")

    assert projected(story) == (3, None)


def test_usage_from_after_an_edit_is_trusted():
    story = Story().user("x" * 8).edit("e1", {"content": "z"}).assistant("abcd", usage=usage(50))

    assert projected(story) == (50, 1)


def test_without_usage_system_messages_count_as_the_one_that_replays_them():
    story = Story().system("abcd").system("efgh")

    assert projected(story) == (3, None)
