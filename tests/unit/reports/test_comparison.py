"""What sets two points apart, and a unified diff of two texts."""

import difflib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import SessionBuilder, call, session, talk, time_of, tokens_used
from pisess_cli.core.context.projection import build_session_projection
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.entry_text import subject
from pisess_cli.core.reports.comparison import Comparison, compare, work_of
from pisess_cli.core.reports.text_diff import DiffLine, unified_diff
from pisess_cli.core.session.revisions import Point
from pisess_cli.core.session.session import Session
from pisess_cli.core.store.forks import branched_lines

TraceFunction = Callable[[FrameType, str, Any], Any]


def point(file: Path, made: SessionBuilder, says: str | None) -> Point:
    opened = Session(file)
    return Point(opened, None if says is None else opened.named(made.id(says)))


def compared(tmp_path: Path, made: SessionBuilder, one: str | None, other: str | None) -> Comparison:
    file = made.write(tmp_path)
    return compare(point(file, made, one), point(file, made, other))


def said(entries: Sequence[Entry]) -> list[str]:
    return [subject(entry) for entry in entries]


def forked() -> SessionBuilder:
    """Two branches below "yes"."""
    made = session().user("hi").assistant("yes").user("a1").assistant("a2").branch_at("yes")
    return made.user("b1").assistant("b2").user("b3")


# Where the paths part.


def test_two_branches_are_compared_from_the_last_entry_that_both_hold(tmp_path: Path):
    found = compared(tmp_path, forked(), "a2", "b3")

    assert found.ancestor is not None
    assert subject(found.ancestor) == "yes"
    assert said(found.one.entries) == ["a1", "a2"]
    assert said(found.other.entries) == ["b1", "b2", "b3"]


def test_an_ancestor_has_nothing_of_its_own(tmp_path: Path):
    found = compared(tmp_path, forked(), "hi", "b1")

    assert said(found.one.entries) == []
    assert said(found.other.entries) == ["yes", "b1"]


@pytest.mark.parametrize("says", ["b3", "hi", None])
def test_a_point_and_itself_are_the_same(tmp_path: Path, says: str | None):
    assert compared(tmp_path, forked(), says, says).is_empty


def test_from_the_root_on_the_whole_path_is_new(tmp_path: Path):
    found = compared(tmp_path, forked(), None, "a1")

    assert found.ancestor is None
    assert said(found.other.entries) == ["hi", "yes", "a1"]


def test_paths_without_a_common_entry_are_compared_whole(tmp_path: Path):
    found = compared(tmp_path, session().user("one").branch_at(None).user("two"), "one", "two")

    assert found.ancestor is None
    assert (said(found.one.entries), said(found.other.entries)) == (["one"], ["two"])


def test_a_fork_of_a_path_shares_its_entries_though_they_are_chained_anew(tmp_path: Path):
    made = session().user("hi").label("here").assistant("yes").user("a1")
    source = made.write(tmp_path / "source.jsonl")
    opened = Session(source)
    header = {"type": "session", "version": 3, "id": "fork", "timestamp": time_of(100)}
    path = opened.path_to(opened.named(made.id("yes")))
    fork = tmp_path / "fork.jsonl"
    fork.write_bytes(b"".join(branched_lines(opened.tree, path, header)))

    found = compare(point(source, made, "a1"), point(fork, made, "yes"))

    assert said(found.one.entries) == ["a1"]
    assert found.other.entries == []


def test_an_entry_of_another_session_with_the_same_id_is_another_one(tmp_path: Path):
    one = session().user("hi")
    other = session().entry("message", timestamp="2020-01-01", says="ho", message={"role": "user", "content": "ho"})

    found = compare(
        point(one.write(tmp_path / "one.jsonl"), one, "hi"), point(other.write(tmp_path / "other.jsonl"), other, "ho")
    )

    assert found.ancestor is None
    assert (said(found.one.entries), said(found.other.entries)) == (["hi"], ["ho"])


def test_paths_that_lead_into_a_cycle_end(tmp_path: Path):
    made = session().user("a").user("b").hang("a", under="b").branch_at("b").user("c").branch_at("a").user("d")

    found = compared(tmp_path, made, "c", "d")

    assert said(found.one.entries)[-1] == "c"
    assert said(found.other.entries)[-1] == "d"


def test_of_a_long_session_only_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = session()
    for number in range(40):
        made.user(f"{number} " + "word " * 20_000)
    opened = Session(made.write(tmp_path))
    read: list[int] = []
    monkeypatch.setattr(
        opened.file,
        "read",
        lambda start, end: read.append(end - start) or opened.file.__class__.read(opened.file, start, end),
    )
    end = opened.leaf
    assert end is not None

    found = compare(Point(opened, opened.get(end.parent_id)), Point(opened, end))

    assert len(found.other.entries) == 1
    assert sum(read) < opened.file.size / 4


# What was done.


def test_turns_are_user_messages_and_entries_what_a_log_shows():
    work = work_of(session().model("acme", "one").user("hi").assistant("yes").label("here").user("and?").entries)

    assert (work.turns, work.entries) == (2, 3)


def test_files_are_those_that_tools_read_and_changed():
    made = session().assistant("", call("read", path="a"), call("read", path="b"), call("edit", path="b"))

    assert work_of(made.entries).files == (["a"], ["b"])


def test_tools_are_counted_by_their_calls_the_most_used_first():
    nested = {"calls": [{"name": "read", "arguments": {"path": "n"}}]}
    made = session().assistant("", call("bash"), call("read")).result("ok", nestedCalls=nested)

    assert list(work_of(made.entries).tools.items()) == [("read", 2), ("bash", 1)]


def test_tokens_and_cost_are_what_was_used():
    made = session().assistant("a", usage=tokens_used(5, 0.5)).compact("short", usage=tokens_used(2, 0.25))

    assert work_of(made.entries)[-2:] == (7, 0.75)


def test_the_context_of_a_side_is_that_of_its_whole_path(tmp_path: Path):
    made = talk().compact("All of it.", keep="Renamed.").user("Go on.")

    found = compared(tmp_path, made, "Where is the parser?", "Go on.")

    assert found.other.context_tokens == sum(map(estimate_tokens, build_session_projection(made.path).messages)) > 0


# A unified diff.


def lines(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def shown(diff: Sequence[DiffLine]) -> list[str]:
    return [mark + text for mark, text in diff]


def test_equal_texts_have_no_diff():
    assert list(unified_diff(lines(9), lines(9))) == []


def test_what_changed_stands_between_three_lines_that_did_not():
    changed = lines(20)
    changed[9:11] = ["new"]

    assert shown(list(unified_diff(lines(20), changed))) == [
        "@@ -7,8 +7,7 @@", " 6", " 7", " 8", "-9", "-10", "+new", " 11", " 12", " 13"
    ]  # fmt: skip


def test_changes_that_are_far_apart_are_hunks_of_their_own():
    changed = ["new", *lines(20), "new"]

    assert [text for mark, text in unified_diff(lines(20), changed) if mark == "@"] == [
        "@ -1,3 +1,4 @@",
        "@ -18,3 +19,4 @@",
    ]


def test_no_lines_are_counted_from_the_line_before_them():
    assert shown(list(unified_diff([], ["a"]))) == ["@@ -0,0 +1 @@", "+a"]


def test_a_block_that_moved_does_not_pull_its_neighbours_along():
    old = ["a", "{", "}", "b", "{", "}", "c"]
    new = ["a", "{", "}", "c"]

    assert shown(list(unified_diff(old, new))) == ["@@ -1,7 +1,4 @@", " a", " {", " }", "-b", "-{", "-}", " c"]


few_lines = st.lists(st.sampled_from("abcdef"), max_size=40)


def patched(old: Sequence[str], diff: Sequence[DiffLine]) -> list[str]:
    """The old lines with the diff applied; what it says of them has to be so."""
    new: list[str] = []
    position = 0
    for mark, text in diff:
        if mark == "@":
            start, count = re.match(r"@ -(\d+)(?:,(\d+))? ", text).groups("1")
            begin = int(start) - (count != "0")
            new += old[position:begin]
            position = begin
        else:
            if mark in " -":
                assert old[position] == text
                position += 1
            new += [text] if mark in " +" else []
    return [*new, *old[position:]]


@given(few_lines, few_lines)
def test_the_diff_turns_the_one_text_into_the_other(old: list[str], new: list[str]) -> None:
    assert patched(old, list(unified_diff(old, new))) == new


@given(few_lines, few_lines)
def test_it_is_a_diff_as_the_library_writes_it(old: list[str], new: list[str]) -> None:
    ours = shown(list(unified_diff(old, new)))

    theirs = list(difflib.unified_diff(old, new, lineterm=""))[2:]

    assert (ours == []) == (theirs == [])
    assert all(re.fullmatch(r"@@ -\d+(,\d+)? \+\d+(,\d+)? @@", line) for line in ours if line.startswith("@"))


def steps(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines of code run for the diff."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> TraceFunction:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        list(unified_diff(old, new))
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "make",
    [
        lambda count: (["x", *["same"] * count, "y"], ["z", *["same"] * (count // 2), "w"]),
        lambda count: ([str(n % 50) for n in range(count)], [str(n * 7 % 53) for n in range(count)]),
        lambda count: (lines(count), lines(count)[::-1]),
        lambda count: (lines(count) * 2, [*lines(count)[::-1], *lines(count)]),
    ],
    ids=["all the same", "few kinds", "turned round", "twice"],
)
def test_twice_the_lines_are_not_four_times_the_work(make: Callable[[int], tuple[list[str], list[str]]]):
    assert steps(*make(4000)) < 2.5 * steps(*make(2000))
