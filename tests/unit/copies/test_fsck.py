"""What fsck finds: each fault by its code, and nothing in sessions as Pi writes them."""

from pathlib import Path

import pytest

from builder import SessionBuilder, call, dumps, id_of, session, talk, time_of
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.findings import CODES, Finding
from pisess_cli.core.copies.fsck import check
from pisess_cli.core.errors import NotASession, PisessError


def findings(made: SessionBuilder | bytes, tmp_path: Path) -> list[Finding]:
    file = tmp_path / "session.jsonl"
    file.write_bytes(made if isinstance(made, bytes) else made.data)
    return check(FileScan(file))


def found(made: SessionBuilder | bytes, tmp_path: Path) -> list[tuple[str, int]]:
    """The code and the line of each finding."""
    return [(finding.code, finding.line) for finding in findings(made, tmp_path)]


def two_turns() -> SessionBuilder:
    return session().user("one").assistant("two").user("three").assistant("four")


def headless(made: SessionBuilder) -> bytes:
    return made.data.split(b"\n", 1)[1]


FAULTS: dict[str, tuple[SessionBuilder | bytes, int]] = {
    "bad-line": (session().user("one").raw(b"\0" * 300).assistant("two"), 3),
    "torn-tail": (two_turns().torn(), 6),
    "interleaved": (session().user("one").raw(b'{"type":"message","id":"a{"type":"label","id":"b"}'), 3),
    "not-entry": (session().user("one").raw(b"[1,2]"), 3),
    "missing-header": (headless(two_turns()), 1),
    "extra-header": (session().user("one").raw(dumps(session("other").header)), 3),
    "missing-id": (two_turns().entry("custom", id=...), 6),
    "duplicate-id": (two_turns().again("one"), 6),
    "missing-parent": (session().user("one").entry("custom", parentId="0badc0de"), 3),
    "self-parent": (session().user("one").user("two").hang("two", under="two"), 3),
    "cycle": (session().user("one").user("two").hang("one", under="two"), 2),
    "first-kept": (two_turns().branch_at("two").compact("short", keep="four"), 6),
    "no-message": (two_turns().entry("message"), 6),
    "edit-target": (two_turns().entry("context_edit", targetId="0badc0de", replacement=None), 6),
    "label-target": (two_turns().entry("label", targetId="0badc0de", label="here"), 6),
    "result-without-call": (two_turns().result("of nobody", "call_9"), 6),
    "call-without-result": (session().user("one").assistant("two", call("bash", "call_1")).user("three"), 3),
    "two-writers": (session().user("one").branch_at(None).user("two").branch_at("one").assistant("three"), 4),
    "time-backwards": (two_turns().entry("custom", timestamp=time_of(3)), 6),
    "bad-time": (two_turns().entry("custom", timestamp="yesterday"), 6),
    "no-final-newline": (two_turns().without_final_newline(), 5),
    "pending-call": (session().user("one").assistant("two", call("bash", "call_1")), 3),
    "unknown-type": (two_turns().entry("from_the_future"), 6),
    "unknown-role": (two_turns().message("nobody", "hi"), 6),
}


@pytest.mark.parametrize("code", CODES)
def test_each_fault_is_found_alone_and_on_its_line(code: str, tmp_path: Path) -> None:
    made, line = FAULTS[code]

    assert found(made, tmp_path) == [(code, line)]


# What is no fault.


def everything() -> SessionBuilder:
    return (
        talk()
        .custom_message("by an extension")
        .custom("state", {"n": 1})
        .bash("ls", "a.py")
        .omit("Renamed.")
        .compact("all of it", keep="Only rename it.")
        .branch_summary("tried it", left="Done, but slow.")
        .name("a name")
        .entry("usage", kind="cache_warm", provider="acme", model="one", usage={})
        .compact("again, and nothing is kept")
        .clear_label("In src/parser.py.")
    )


def test_a_session_as_pi_writes_it_has_no_fault(tmp_path: Path) -> None:
    assert found(everything(), tmp_path) == []


@pytest.mark.parametrize("version", [1, 2])
def test_a_session_of_an_old_version_has_no_fault(version: int, tmp_path: Path) -> None:
    old = two_turns().compact("short", keep="three").message("custom", "by a hook").user("five").version(version)

    assert found(old, tmp_path) == []


def test_an_empty_session_has_no_fault(tmp_path: Path) -> None:
    assert found(session(), tmp_path) == []


def test_moves_of_the_leaf_are_no_second_writer(tmp_path: Path) -> None:
    moved = (
        two_turns().branch_at("two").user("five").assistant("six").branch_at("four").user("seven").assistant("eight")
    )

    assert found(moved, tmp_path) == []


def test_an_answer_anew_is_no_second_writer(tmp_path: Path) -> None:
    anew = session().user("one").assistant("two").branch_at("one").assistant("two again")

    assert found(anew, tmp_path) == []


def test_bookkeeping_from_inside_a_tool_is_no_second_writer(tmp_path: Path) -> None:
    labelled = (
        session()
        .user("one")
        .assistant("two", call("bash", "call_1"))
        .label("from-inside", on="one")
        .branch_at("two")
        .result("three", "call_1")
    )

    assert found(labelled, tmp_path) == []


def test_a_label_made_anew_in_a_fork_keeps_its_time(tmp_path: Path) -> None:
    fork = two_turns().entry("label", targetId=id_of(1), label="here", timestamp=time_of(1)).user("five")

    assert found(fork, tmp_path) == []


def test_a_clock_that_was_set_back_a_little_is_no_fault(tmp_path: Path) -> None:
    made = session().user("one").entry("custom", timestamp="2026-03-01T10:00:00.001Z")

    assert found(made, tmp_path) == []


@pytest.mark.parametrize("reason", ["error", "aborted"])
def test_a_failed_attempt_waits_for_no_results(reason: str, tmp_path: Path) -> None:
    failed = session().user("one").assistant("two", call("bash"), stopReason=reason).user("three").assistant("four")

    assert found(failed, tmp_path) == []


def test_a_branch_that_leaves_between_call_and_result_is_no_fault(tmp_path: Path) -> None:
    left = session().user("one").assistant("two", call("bash")).result("three").branch_at("two").user("never mind")

    assert found(left, tmp_path) == []


def test_results_of_one_message_come_in_any_order(tmp_path: Path) -> None:
    asked = session().user("one").assistant("two", call("read", "a"), call("read", "b"))

    assert found(asked.result("of b", "b").custom("state").result("of a", "a").assistant("done"), tmp_path) == []


def test_what_an_edit_takes_out_of_the_context_needs_no_counterpart(tmp_path: Path) -> None:
    made = session().user("one").assistant("two", call("bash", "a")).user("three").result("of nobody", "b")

    assert found(made.omit("two").omit("of nobody"), tmp_path) == []


# What is one.


def test_a_result_behind_a_user_message_comes_too_late(tmp_path: Path) -> None:
    late = session().user("one").assistant("two", call("bash")).user("wait").result("three")

    assert found(late, tmp_path) == [("call-without-result", 3), ("result-without-call", 5)]


def test_a_second_result_of_a_call_answers_nothing(tmp_path: Path) -> None:
    twice = session().user("one").assistant("two", call("bash")).result("three").result("three again")

    assert found(twice, tmp_path) == [("result-without-call", 5)]


def test_call_and_tool_are_named(tmp_path: Path) -> None:
    [finding] = findings(FAULTS["call-without-result"][0], tmp_path)

    assert "call_1" in finding.message
    assert "bash" in finding.message
    assert finding.entry == id_of(2)


def test_branches_that_two_writers_grow_in_turns(tmp_path: Path) -> None:
    made = session().user("start").user("a1").branch_at("start").user("b1")
    made = made.branch_at("a1").user("a2").branch_at("b1").user("b2")

    assert found(made, tmp_path) == [("two-writers", 6)]


def test_a_summary_written_while_a_tool_ran_is_lost_beside_its_result(tmp_path: Path) -> None:
    made = session().user("one").assistant("two", call("bash")).compact("short").branch_at("two").result("three")

    assert found(made, tmp_path) == [("two-writers", 5)]


def test_the_same_line_twice_is_told_apart_from_another_entry_of_the_id(tmp_path: Path) -> None:
    made = session().user("one")
    same, other = findings(made.raw(made.lines[1]).again("one", parentId=id_of(1)), tmp_path)

    assert same.message == "the whole line is the same as line 2"
    assert other.message == f"the id {id_of(1)} is that of line 3"


def test_of_duplicate_ids_the_one_before_an_entry_is_its_parent(tmp_path: Path) -> None:
    made = session().user("one").assistant("two").again("one", parentId=id_of(2))

    assert found(made, tmp_path) == [("duplicate-id", 4)]


def test_what_a_line_holds_is_told_in_words(tmp_path: Path) -> None:
    made = session().raw(b"\0\0\0").raw(b'{"a":NaN}').raw(b"nonsense")

    assert [finding.message for finding in findings(made, tmp_path)] == [
        "no JSON: 3 NUL bytes",
        "no JSON: NaN is not JSON",
        "no JSON: Expecting value (character 1)",
    ]


@pytest.mark.parametrize("line", [b"null", b"0", b'""', b"5", b"[]", b"{}", b'{"type":7}'])
def test_json_that_is_no_entry(line: bytes, tmp_path: Path) -> None:
    assert found(session().user("one").raw(line), tmp_path) == [("not-entry", 3)]


def test_blank_lines_are_no_fault_and_count(tmp_path: Path) -> None:
    made = session().raw(b"").raw(b" \r").raw("\u00a0").raw(b"nonsense")

    assert found(made, tmp_path) == [("bad-line", 5)]


def test_a_header_that_is_not_first_is_named(tmp_path: Path) -> None:
    header, *lines = two_turns().lines
    [finding] = findings(b"\n".join([lines[0], header, *lines[1:], b""]), tmp_path)

    assert finding.code == "missing-header"
    assert finding.message == "no session header stands first, it is on line 2"


def test_a_byte_order_mark_hides_the_header(tmp_path: Path) -> None:
    assert found(b"\xef\xbb\xbf" + two_turns().data, tmp_path) == [("missing-header", 2), ("interleaved", 1)][::-1]


def test_every_circle_is_told_once(tmp_path: Path) -> None:
    circles = session().user("one").user("two").user("three").branch_at(None).user("four").user("five")

    assert found(circles.hang("one", under="three").hang("four", under="five"), tmp_path) == [
        ("cycle", 2),
        ("cycle", 5),
    ]


def test_names_of_any_length_stay_short(tmp_path: Path) -> None:
    [finding] = findings(two_turns().entry("x" * 1000), tmp_path)

    assert len(finding.message) < 100


@pytest.mark.parametrize("data", [b"", b"\n", b"# Notes\n\nNothing.\n", b"[1,2]", b'{"type":"user","uuid":"1"}\n'])
def test_what_was_never_a_session_is_none(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(NotASession, match=r"session\.jsonl"):
        findings(data, tmp_path)


def test_a_directory_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(NotASession, match="a directory"):
        FileScan(tmp_path)
    with pytest.raises(PisessError, match="no such file"):
        FileScan(tmp_path / "none.jsonl")


# Files of any shape are gone through in one go.


def chain(count: int) -> SessionBuilder:
    made = session()
    for _ in range(count):
        made.entry("custom", customType="n", timestamp=time_of(0))
    return made


def test_a_chain_deeper_than_the_stack(tmp_path: Path) -> None:
    assert found(chain(5000), tmp_path) == []


def test_a_circle_of_the_whole_file(tmp_path: Path) -> None:
    made = chain(5000)
    made.values[0]["parentId"] = id_of(5000)

    assert found(made, tmp_path) == [("cycle", 2)]
