from in_memory import Story
from pisess_cli.core.context.projection import build_session_projection
from pisess_cli.core.context.system_message import replayed_system_message
from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.format.jsonl import stringify


def replay(story: Story) -> JsonObject | None:
    return replayed_system_message(build_session_projection(story.path).messages)


def tool(name: str, **fields) -> JsonObject:
    return {"name": name, **fields}


def test_contents_are_joined_by_blank_lines_and_empty_ones_left_out():
    replayed = replay(Story().system("one").system("").user("hi").system("two"))

    assert replayed == {"role": "system", "content": "one\n\ntwo", "timestamp": 5}


def test_the_text_blocks_of_a_content_are_lines():
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]

    replayed = replayed_system_message([{"role": "system", "content": blocks, "timestamp": 1}])

    assert replayed is not None
    assert replayed["content"] == "a\nb"


def test_sections_are_patched_by_name_and_null_takes_one_out():
    story = (
        Story().system("", sections={"cwd": "/a", "date": "today"}).system("", sections={"cwd": None, "date": "now"})
    )

    assert (replay(story) or {})["sections"] == {"date": "now"}


def test_a_tool_that_is_declared_anew_keeps_its_place():
    story = Story().system("", toolsAdded=[tool("read"), tool("bash")]).system("", toolsAdded=[tool("read", v=2)])

    assert (replay(story) or {})["toolsAdded"] == [tool("read", v=2), tool("bash")]


def test_a_tool_that_is_removed_and_added_in_one_message_goes_to_the_end():
    story = Story().system("", toolsAdded=[tool("read"), tool("bash")])
    story.system("", toolsRemoved=[tool("read")], toolsAdded=[tool("read", v=2)])

    assert (replay(story) or {})["toolsAdded"] == [tool("bash"), tool("read", v=2)]


def test_keys_stand_in_pis_order_and_empty_ones_are_left_out():
    full = replay(Story().system("a", sections={"s": "t"}, toolsAdded=[tool("read")]))
    bare = replay(Story().system("a", sections={"s": None}, toolsRemoved=[tool("read")]))

    assert list(full or {}) == ["role", "content", "sections", "toolsAdded", "timestamp"]
    assert list(bare or {}) == ["role", "content", "timestamp"]


def test_sections_named_by_numbers_are_written_first():
    replayed = replay(Story().system("", sections={"b": "x", "10": "y", "2": "z"}))

    assert '"sections":{"2":"z","10":"y","b":"x"}' in stringify(replayed)


def test_the_first_timestamp_counts_but_null_gives_way():
    messages: list[JsonObject] = [{"role": "system", "content": "a", "timestamp": stamp} for stamp in (None, 7, 8)]

    assert (replayed_system_message(messages) or {})["timestamp"] == 7


def test_a_null_timestamp_is_one():
    assert replayed_system_message([{"role": "system", "content": "a", "timestamp": None}]) == {
        "role": "system",
        "content": "a",
        "timestamp": 0,
    }


def test_without_a_timestamp_and_tools_there_is_nothing_to_replay():
    assert replayed_system_message([{"role": "system", "content": "a"}, {"role": "user", "timestamp": 5}]) is None


def test_tools_without_a_timestamp_are_replayed():
    replayed = replayed_system_message([{"role": "system", "toolsAdded": [tool("read")]}])

    assert replayed == {"role": "system", "content": "", "toolsAdded": [tool("read")], "timestamp": 0}


def test_what_an_earlier_compaction_replayed_is_replayed_again():
    system = {"role": "system", "content": "one", "timestamp": 3}
    story = Story().user("hi").compaction("s", "e1", systemMessage=system).system("two")

    assert replay(story) == {"role": "system", "content": "one\n\ntwo", "timestamp": 3}


def test_fields_of_any_type_are_passed_over():
    odd: JsonObject = {"role": "system", "content": 5, "sections": ["x"], "toolsAdded": [1, None], "toolsRemoved": "y"}

    assert replayed_system_message([odd, {"role": "system", "content": "a", "timestamp": 1}]) == {
        "role": "system",
        "content": "a",
        "timestamp": 1,
    }
