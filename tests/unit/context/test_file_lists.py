import pytest

from in_memory import call
from pisess_cli.core.context.file_lists import FileLists, FileOperations, without_file_blocks
from pisess_cli.core.format.javascript import JsonObject, JsonValue


def lists(*messages: JsonObject, details: JsonValue = None, **entry: JsonValue) -> FileLists:
    operations = FileOperations()
    operations.add_details({"details": details, **entry})
    for message in messages:
        operations.add_message(message)
    return operations.lists()


def answer(*calls: JsonValue) -> JsonObject:
    return {"role": "assistant", "content": list(calls)}


def test_a_file_that_was_read_and_changed_is_a_changed_one():
    calls = (call("read", path="a"), call("write", path="a"), call("read", path="b"), call("edit", path="b"))

    assert lists(answer(*calls)) == ([], ["a", "b"])


def test_only_read_write_and_edit_with_a_path_count():
    names = ("Read", "grep", "ls", "multi_edit", "bash")
    calls = [call(name, path="a") for name in names]

    assert lists(answer(*calls, call("read", file_path="a"), call("read", path=""), call("read", path=5))) == ([], [])


def test_calls_that_a_tool_made_itself_count():
    nested = {"calls": [{"name": "read", "arguments": {"path": "a"}, "status": "failed"}]}

    assert lists({"role": "toolResult", "nestedCalls": nested}) == (["a"], [])


def test_files_are_sorted_by_utf16_units():
    assert lists(answer(*(call("read", path=path) for path in ("ﬀ", "b", "😀", "B")))) == (["B", "b", "😀", "ﬀ"], [])


def test_lists_of_an_earlier_summary_are_carried_on_whatever_they_hold():
    assert lists(details={"readFiles": ["b", 5, "5", None], "modifiedFiles": "no list"}) == ([5, "5", "b", None], [])


@pytest.mark.parametrize("from_hook", [True, "yes", {}])
def test_lists_of_an_extension_are_not_carried_on(from_hook):
    assert lists(details={"readFiles": ["a"]}, fromHook=from_hook) == ([], [])


def test_blocks_stand_below_blank_lines_and_only_for_files_that_are_there():
    assert FileLists(["a", "b"], ["c"]).as_text() == (
        "\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\nc\n</modified-files>"
    )
    assert FileLists([], []).as_text() == ""


def test_blocks_come_off_a_summary_again():
    files = FileLists(["a", "b"], ["c"])

    assert without_file_blocks(f"words{files.as_text()}", FileLists(["b"], ["a", "c"])) == "words"


def test_blocks_with_a_file_that_is_not_listed_stay():
    summary = f"words{FileLists(['a', 'b'], []).as_text()}"

    assert without_file_blocks(summary, FileLists(["a"], [])) == summary


def test_blocks_in_the_middle_of_a_summary_stay():
    summary = f"words{FileLists(['a'], []).as_text()} and more"

    assert without_file_blocks(summary, FileLists(["a"], [])) == summary


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "text"},
        {"role": "assistant", "content": [None, 5, {"type": "toolCall"}, {"type": "toolCall", "arguments": []}]},
        {"role": "toolResult", "nestedCalls": 5},
        {"role": "toolResult", "nestedCalls": {"calls": [5, {"name": "read"}]}},
    ],
)
def test_messages_of_any_type_are_passed_over(message):
    assert lists(message) == ([], [])
