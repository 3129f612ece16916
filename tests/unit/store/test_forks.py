import json
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, session, talk
from pisess_cli.core.errors import NotFound, Refused
from pisess_cli.core.format.new_entries import build_header
from pisess_cli.core.session.session import Session
from pisess_cli.core.store.forks import branched_lines, has_conversation
from pisess_cli.core.store.new_sessions import NewSession, path_to_fork, write_branched, write_fork
from running import unchanged

HEADER = build_header("new", "now", "/other", "/old.jsonl")


def forked(s: SessionBuilder, folder: Path) -> Path:
    """The whole session under a new header."""
    new = NewSession(folder / "new.jsonl", HEADER)
    source = s.write(folder)
    before = source.read_bytes()
    write_fork(new, Session(source))
    assert source.read_bytes() == before
    return new.path


def branched(s: SessionBuilder, at: str | None = None) -> list[dict[str, Any]]:
    """The entries of a session that has the path to an entry alone, or the current path."""
    path = s.path if at is None else s.tree.path(s.id(at))
    header, *lines = branched_lines(s.tree, path, HEADER)
    assert json.loads(header) == HEADER
    assert all(line.endswith(b"\n") for line in lines)
    return [json.loads(line) for line in lines]


# Whole copies.


def test_a_fork_has_every_line_as_it_is_under_its_own_header(tmp_path: Path) -> None:
    s = talk().raw('{"odd": 1.0, "big":12345678901234567890 }').raw("{torn").torn()

    header, rest = forked(s, tmp_path).read_bytes().split(b"\n", 1)

    assert json.loads(header) == HEADER
    assert rest == s.data.split(b"\n", 1)[1]


@pytest.mark.parametrize("version", [1, 2])
def test_a_fork_of_an_old_file_is_of_the_current_version(tmp_path: Path, version: int) -> None:
    s = session().message("custom", "x").user("hi").raw("{torn").user("yes").version(version)
    source = Session(s.write(tmp_path / "old.jsonl"))

    copy = Session(forked(s, tmp_path))

    assert copy.header.version == 3
    assert [entry.raw for entry in copy.tree.entries] == [entry.raw for entry in source.tree.entries]
    assert copy.whole.skipped == 1


def test_a_fork_of_a_session_without_entries_is_its_header(tmp_path: Path) -> None:
    assert forked(session().without_final_newline(), tmp_path).read_bytes().count(b"\n") == 1


# Paths.


def test_a_branched_session_has_the_path_alone() -> None:
    s = session().user("a").user("b").branch_at("a").user("c")

    assert [entry["id"] for entry in branched(s)] == s.ids("a", "c")
    assert [entry["id"] for entry in branched(s, at="b")] == s.ids("a", "b")


def test_labels_are_left_out_and_what_hung_from_them_hangs_from_what_is_above() -> None:
    s = session().user("a").label("x", on="a").clear_label("a").user("b")

    assert [(entry["type"], entry["parentId"]) for entry in branched(s)] == [("message", None), ("message", s.id("a"))]


def test_the_labels_that_stand_are_made_anew_at_the_end() -> None:
    s = session().user("a").label("one").user("b").label("two").user("c")

    *kept, one, two = branched(s)

    assert [entry["id"] for entry in kept] == s.ids("a", "b", "c")
    assert [(label["targetId"], label["label"]) for label in (one, two)] == [(s.id("a"), "one"), (s.id("b"), "two")]
    assert [one["parentId"], two["parentId"]] == [s.id("c"), one["id"]]


def test_a_label_that_is_made_anew_has_its_old_time_and_a_new_id() -> None:
    s = session().user("a").label("one")

    _, made = branched(s)

    assert made["timestamp"] == s.values[1]["timestamp"]
    assert made["id"] not in {value["id"] for value in s.values}
    assert list(made) == ["type", "id", "parentId", "timestamp", "targetId", "label"]


def test_labels_that_were_set_on_another_branch_come_along() -> None:
    s = session().user("a").user("b").label("one", on="a").branch_at("a").user("c")

    assert branched(s)[-1]["label"] == "one"


def test_labels_on_what_is_not_on_the_path_do_not() -> None:
    s = session().user("a").user("b").label("one").branch_at("a").user("c")

    assert [entry["type"] for entry in branched(s)] == ["message", "message"]


def test_labels_come_in_the_order_in_which_they_were_first_set() -> None:
    s = session().user("a").user("b").label("b1").label("a1", on="a").label("b2", on="b")

    assert [entry["label"] for entry in branched(s)[2:]] == ["b2", "a1"]


def test_a_compaction_that_kept_from_a_label_on_keeps_from_the_entry_behind_it() -> None:
    s = session().user("a").label("x").label("y", on="a").user("b")
    s.compact("sum", firstKeptEntryId=s.values[1]["id"])

    assert branched(s)[2]["firstKeptEntryId"] == s.id("b")


def test_a_compaction_behind_the_label_that_it_kept_from_names_itself() -> None:
    s = session().user("a").label("x")
    s.compact("sum", firstKeptEntryId=s.values[1]["id"])

    assert branched(s)[1]["firstKeptEntryId"] == s.id("sum")


def test_a_compaction_that_names_itself_or_an_entry_that_stays_is_left_as_it_is() -> None:
    s = session().user("a").compact("none").user("b").compact("some", keep="b")

    assert [entry.get("firstKeptEntryId") for entry in branched(s)] == [None, s.id("none"), None, s.id("b")]


def test_what_need_not_change_keeps_its_bytes() -> None:
    s = session().user("a").label("x")
    raw = '{"type":"custom", "id":"odd1","parentId":"%s","n":1.0,"big":12345678901234567890,"e":"\\u0041"}'
    s.raw(raw % s.values[1]["id"])
    path = s.tree.path("odd1")

    lines = list(branched_lines(s.tree, path, HEADER))

    assert lines[2] == (raw % s.id("a")).encode() + b"\n"


def test_the_ids_that_edits_and_summaries_name_stay() -> None:
    s = session().user("a").label("x").omit("a").branch_summary("s", left="a")

    assert branched(s)[1]["targetId"] == s.id("a")
    assert branched(s)[2]["fromId"] == s.id("a")


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_user_or_an_assistant_makes_a_conversation(role: str) -> None:
    assert has_conversation(session().system("x").message(role, "hi").entries)


def test_others_alone_do_not() -> None:
    alone = session().system("x").result("y").custom_message("z").model("a", "b").compact("s")

    assert not has_conversation(alone.entries)


# Files.


def write(s: SessionBuilder, folder: Path, at: str | None) -> Path:
    new = NewSession(folder / "made" / "new.jsonl", HEADER)
    source = Session(s.write(folder))
    write_branched(new, source, path_to_fork(source, None if at is None else source.get(s.id(at))))
    return new.path


def test_a_path_without_a_conversation_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        write(session().system("x").user("a"), tmp_path, at="x")

    assert not (tmp_path / "made").exists()


def test_no_entry_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        write(session().user("a"), tmp_path, at=None)


def test_the_model_sees_of_a_branched_session_what_it_saw_of_the_path(tmp_path: Path) -> None:
    s = session().user("a").label("x").assistant("b").omit("a").compact("sum", keep="b").user("c")
    source = Session(s.write(tmp_path))
    path = write(s, tmp_path, at="c")

    with unchanged(tmp_path):
        copy = Session(path)
        copied = copy.projection(copy.get(s.id("c")))
        original = source.projection(source.leaf)
        assert copied.messages == original.messages
        assert copied.model == original.model
