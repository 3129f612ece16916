"""What a repaired copy holds: every sound line as it was, and for each fault the least that mends it."""

import json
from pathlib import Path
from typing import Any

import pytest

from builder import SESSION_ID, SessionBuilder, call, dumps, id_of, session, talk, time_of
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.fsck import check
from pisess_cli.core.copies.repair import Repair
from pisess_cli.core.errors import PisessError
from pisess_cli.core.format.entry_text import message_text
from pisess_cli.core.session.session import Session


class Copy:
    """A repaired copy, by its lines and by what a reader sees in it."""

    def __init__(self, made: SessionBuilder | bytes, folder: Path, name: str = "session.jsonl") -> None:
        source = folder / name
        source.write_bytes(made if isinstance(made, bytes) else made.data)
        self.repair = Repair(FileScan(source))
        self.path = folder / "copy.jsonl"
        self.repair.write(self.path)
        self.lines = self.path.read_bytes().split(b"\n")[:-1]
        self.values: list[dict[str, Any]] = [json.loads(line) for line in self.lines]
        assert [finding for finding in check(FileScan(self.path)) if finding.severity == "error"] == []

    @property
    def parents(self) -> dict[str, str | None]:
        return {value["id"]: value["parentId"] for value in self.values[1:]}

    @property
    def said(self) -> list[str]:
        """What is said on the current path."""
        session = Session(self.path)
        return [message_text(message) for message in session.projection(session.leaf).messages]

    @property
    def actions(self) -> list[tuple[int, str]]:
        return [(action.line, action.what) for action in self.repair.actions]


def two_turns() -> SessionBuilder:
    return session().user("one").assistant("two").user("three").assistant("four")


def test_a_sound_session_is_copied_byte_for_byte(tmp_path: Path) -> None:
    made = talk().raw('{"type":"custom","id":"x","parentId":null,"timestamp":"2026-03-01","n":[1.0,1e400,"\\u0041"]}')

    copy = Copy(made, tmp_path)

    assert copy.path.read_bytes() == made.data
    assert copy.actions == []


def test_the_source_stays_and_a_copy_that_exists_is_not_written_over(tmp_path: Path) -> None:
    made = two_turns().torn()
    copy = Copy(made, tmp_path)
    before = copy.path.read_bytes()

    with pytest.raises(PisessError, match="exists"):
        copy.repair.write(copy.path)

    assert copy.path.read_bytes() == before
    assert (tmp_path / "session.jsonl").read_bytes() == made.data


def test_bad_lines_go_and_all_others_keep_their_bytes(tmp_path: Path) -> None:
    made = session().user("one").raw(b"\0" * 9).assistant("two").raw(b"nonsense").raw(b"null").user("three").torn()

    copy = Copy(made, tmp_path)

    sound = [line for line in made.lines if line.startswith(b'{"type"')]
    assert copy.lines == sound
    assert [line for line, _ in copy.actions] == [3, 5, 6, 8]


def test_the_last_line_gets_its_end(tmp_path: Path) -> None:
    made = two_turns().without_final_newline()

    assert Copy(made, tmp_path).path.read_bytes() == made.data + b"\n"


# Lines written into each other.


def test_entries_in_one_line_are_put_on_lines_of_their_own(tmp_path: Path) -> None:
    made = two_turns()
    header, one, two, three, four = made.lines

    copy = Copy(b"\n".join([header, one, two + three, four, b""]), tmp_path)

    assert copy.lines == made.lines


def test_an_entry_behind_a_torn_one_is_kept(tmp_path: Path) -> None:
    made = two_turns()
    header, one, two, three, four = made.lines

    copy = Copy(b"\n".join([header, one, two[:90] + three, four, b""]), tmp_path)

    assert copy.parents == {id_of(1): None, id_of(3): id_of(1), id_of(4): id_of(3)}
    assert copy.lines[1] == one
    assert copy.lines[3] == four


def test_a_header_behind_a_byte_order_mark_is_the_header(tmp_path: Path) -> None:
    made = two_turns()

    assert Copy(b"\xef\xbb\xbf" + made.data, tmp_path).path.read_bytes() == made.data


# Parents.


def test_what_hung_below_a_torn_line_hangs_below_its_parent(tmp_path: Path) -> None:
    made = two_turns()
    header, one, two, three, four = made.lines
    beside = made.branch_at("one").user("five").lines[-1]

    # The torn line was written after the other branch; it still says where it belongs.
    copy = Copy(b"\n".join([header, one, beside, two[:100], three, four, b""]), tmp_path)

    assert copy.parents == {id_of(1): None, id_of(5): id_of(1), id_of(3): id_of(1), id_of(4): id_of(3)}


def test_what_hung_below_a_torn_root_is_a_root(tmp_path: Path) -> None:
    made = two_turns().branch_at(None).user("root").assistant("below")
    lines = made.lines
    lines[5] = lines[5][:100]

    assert Copy(b"\n".join([*lines, b""]), tmp_path).parents[id_of(6)] is None


def test_an_orphan_hangs_below_what_stands_before_it(tmp_path: Path) -> None:
    header, one, _, three, four = two_turns().lines

    copy = Copy(b"\n".join([header, one, b"\0\0", three, four, b""]), tmp_path)

    assert copy.parents == {id_of(1): None, id_of(3): id_of(1), id_of(4): id_of(3)}
    assert copy.said == ["one", "three", "four"]


def test_siblings_whose_parent_is_lost_stay_siblings(tmp_path: Path) -> None:
    made = two_turns().branch_at("two").user("five")
    lines = [line for line in made.lines if b'"two"' not in line]

    copy = Copy(b"\n".join([*lines, b""]), tmp_path)

    assert copy.parents[id_of(3)] == copy.parents[id_of(5)] == id_of(1)


def test_a_first_entry_without_its_parent_is_a_root(tmp_path: Path) -> None:
    header, *_, three, four = two_turns().lines

    assert Copy(b"\n".join([header, three, four, b""]), tmp_path).parents == {id_of(3): None, id_of(4): id_of(3)}


def test_its_own_parent_hangs_below_what_stands_before_it(tmp_path: Path) -> None:
    assert Copy(two_turns().hang("three", under="three"), tmp_path).parents[id_of(3)] == id_of(2)


def test_a_circle_is_cut_where_it_leads_down_the_file(tmp_path: Path) -> None:
    copy = Copy(two_turns().hang("two", under="four"), tmp_path)

    assert copy.parents == {id_of(1): None, id_of(2): id_of(1), id_of(3): id_of(2), id_of(4): id_of(3)}
    assert copy.actions == [(3, f"parentId: {id_of(4)} becomes {id_of(1)}")]


# Ids.


def test_a_line_that_was_written_twice_is_there_once(tmp_path: Path) -> None:
    made = two_turns()
    header, one, two, *rest = made.lines

    assert Copy(b"\n".join([header, one, two, two, *rest, b""]), tmp_path).lines == made.lines


def test_of_two_entries_with_one_id_the_first_gets_another_and_keeps_its_children(tmp_path: Path) -> None:
    made = session().user("one").assistant("two").again("one").assistant("three")

    copy = Copy(made, tmp_path)

    new_id = copy.values[1]["id"]
    assert new_id not in (id_of(1), id_of(2))
    assert copy.parents == {new_id: None, id_of(2): new_id, id_of(1): id_of(2), id_of(4): id_of(1)}


def test_names_of_an_entry_that_gets_another_id_follow_it(tmp_path: Path) -> None:
    made = session().user("one").assistant("two").label("here", on="one").branch_summary("tried", left="one")
    made = made.omit("one").compact("short", keep="one").again("one", parentId=None)

    _, one, _, label, summary, edit, compaction, _ = Copy(made, tmp_path).values

    assert [label["targetId"], summary["fromId"], edit["targetId"], compaction["firstKeptEntryId"]] == [one["id"]] * 4


def test_entries_without_ids_are_chained_in_their_order(tmp_path: Path) -> None:
    made = session()
    for words in ("one", "two", "three"):
        made.user(words)
    for value in made.values:
        del value["id"], value["parentId"]

    copy = Copy(made, tmp_path)

    assert list(copy.parents.values()) == [None, *list(copy.parents)[:-1]]
    assert copy.said == ["one", "two", "three"]


def test_a_plan_is_the_same_each_time(tmp_path: Path) -> None:
    made = session().user("one").again("one").entry("custom", id=...)
    scan = FileScan(made.write(tmp_path))

    assert list(Repair(scan).lines()) == list(Repair(scan).lines())


# What entries name.


def test_a_compaction_whose_first_kept_entry_is_lost_keeps_from_the_next(tmp_path: Path) -> None:
    made = two_turns().user("five").compact("short", keep="two").user("six")
    lines = made.lines
    lines[2] = lines[2][:100]

    copy = Copy(b"\n".join([*lines, b""]), tmp_path)

    assert copy.values[-2]["firstKeptEntryId"] == id_of(3)
    assert copy.said[1:] == ["three", "four", "five", "six"]


def test_a_compaction_whose_first_kept_entry_is_elsewhere_keeps_nothing_as_before(tmp_path: Path) -> None:
    made = two_turns().branch_at("two").compact("short", keep="four")

    assert Copy(made, tmp_path).values[-1]["firstKeptEntryId"] == id_of(5)


def test_a_compaction_that_keeps_from_a_dropped_entry_keeps_from_the_next(tmp_path: Path) -> None:
    made = session().user("one").entry("label", targetId="0badc0de", label="x").assistant("two")
    made = made.compact("short", keep=id_of(2))

    assert Copy(made, tmp_path).values[-1]["firstKeptEntryId"] == id_of(3)


def test_labels_and_edits_of_nothing_go_and_the_chain_is_closed(tmp_path: Path) -> None:
    made = session().user("one").entry("label", targetId="0badc0de", label="x").label("on a label", on=id_of(2))
    made = made.entry("context_edit", targetId="0badc0de", replacement=None).assistant("two")

    assert Copy(made, tmp_path).parents == {id_of(1): None, id_of(5): id_of(1)}


def test_a_message_entry_without_a_message_goes(tmp_path: Path) -> None:
    made = session().user("one").entry("message").assistant("two")

    assert Copy(made, tmp_path).said == ["one", "two"]


# Where Pi goes on.


def test_the_leaf_stays_where_it_is_when_the_last_entry_goes(tmp_path: Path) -> None:
    made = two_turns().branch_at("two").entry("label", targetId="0badc0de", label="x")

    copy = Copy(made, tmp_path)

    assert copy.said == ["one", "two"]
    assert copy.values[-1]["customType"] == "pisess.checkout"
    assert copy.values[-1]["parentId"] == id_of(2)


def test_the_leaf_stays_at_an_entry_whose_line_was_written_again_at_the_end(tmp_path: Path) -> None:
    made = two_turns()

    copy = Copy(made.raw(made.lines[2]), tmp_path)

    assert copy.said == ["one", "two"]


def test_no_entry_is_added_where_the_leaf_is_the_last_entry_anyway(tmp_path: Path) -> None:
    made = two_turns()

    copy = Copy(made.data + made.entry("label", targetId="0badc0de", label="x").lines[-1] + b"\n", tmp_path)

    assert copy.lines == two_turns().lines


# Tools.


def test_a_result_without_a_call_goes(tmp_path: Path) -> None:
    made = session().user("one").result("of nobody", "call_9").assistant("two")

    assert Copy(made, tmp_path).parents == {id_of(1): None, id_of(3): id_of(1)}


def test_a_result_whose_call_is_lost_goes_with_it(tmp_path: Path) -> None:
    made = session().user("one").assistant("two", call("bash")).result("three").assistant("four")
    lines = made.lines
    lines[2] = lines[2][:100]

    copy = Copy(b"\n".join([*lines, b""]), tmp_path)

    assert copy.parents == {id_of(1): None, id_of(4): id_of(1)}


def test_a_call_without_a_result_gets_one(tmp_path: Path) -> None:
    made = (
        session().user("one").assistant("two", call("read", "a"), call("bash", "b")).result("of a", "a").user("three")
    )

    copy = Copy(made, tmp_path)

    added = copy.values[3]
    assert added["message"]["toolCallId"] == "b"
    assert added["message"]["toolName"] == "bash"
    assert added["message"]["isError"] is True
    assert copy.parents == {id_of(1): None, id_of(2): id_of(1), added["id"]: id_of(2), id_of(3): added["id"]} | {
        id_of(4): id_of(3)
    }


def test_a_call_that_may_still_be_answered_gets_none(tmp_path: Path) -> None:
    made = session().user("one").assistant("two", call("bash"))

    assert Copy(made, tmp_path).lines == made.lines


# Headers and versions.


def test_a_missing_header_is_made_from_the_name_of_the_file(tmp_path: Path) -> None:
    data = two_turns().data.split(b"\n", 1)[1]

    copy = Copy(data, tmp_path, f"2026-03-01T10-00-00-000Z_{SESSION_ID}.jsonl")

    assert copy.values[0] == {"type": "session", "version": 3, "id": SESSION_ID, "timestamp": time_of(1)}
    assert copy.path.read_bytes().endswith(data)


def test_what_a_broken_header_says_is_kept(tmp_path: Path) -> None:
    made = two_turns()
    made.header["id"] = 7

    header = Copy(made, tmp_path).values[0]

    assert header["cwd"] == made.header["cwd"]
    assert isinstance(header["id"], str)


def test_a_header_further_down_is_moved_to_the_start(tmp_path: Path) -> None:
    made = two_turns()
    header, one, *rest = made.lines

    assert Copy(b"\n".join([one, header, *rest, b""]), tmp_path).lines == made.lines


def test_two_files_in_one_become_one_session(tmp_path: Path) -> None:
    made = two_turns()
    other = dumps(session("other").header).encode()

    copy = Copy(made.data + other + b"\n" + made.data.split(b"\n", 1)[1], tmp_path)

    assert copy.path.read_bytes() == made.data


@pytest.mark.parametrize("version", [1, 2])
def test_an_old_version_is_written_as_the_current_one(version: int, tmp_path: Path) -> None:
    made = two_turns().compact("short", keep="three").message("custom", "by a hook").raw(b"nonsense").version(version)

    copy = Copy(made, tmp_path)

    assert copy.values[0]["version"] == 3
    assert copy.said[1:] == ["three", "four", "by a hook"]
    assert (1, "written as version 3") in copy.actions


# Files of any shape are gone through in one go.


def test_a_chain_of_entries_that_all_go(tmp_path: Path) -> None:
    made = session().user("one").entry("label", targetId="0badc0de", label="x", timestamp=time_of(1))
    for number in range(3, 3000):
        made.entry("label", targetId=id_of(number - 1), label="x", timestamp=time_of(1))

    assert Copy(made.user("last", timestamp=1), tmp_path).parents == {id_of(1): None, id_of(3000): id_of(1)}
