from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, id_of, session, talk
from pisess_cli.core.changes.undo import append_undo, plan_undo
from pisess_cli.core.errors import NotFound, Refused
from pisess_cli.core.format.entries import Entry, Label
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session
from running import only_appended
from session_state import session_state


def undo(file: Path) -> Entry:
    with Appender(file) as appender:
        return append_undo(appender, plan_undo(appender.session))


def base() -> SessionBuilder:
    """A talk with a name, a label, an edit and a compaction on its path."""
    return (
        talk()
        .name("the talk")
        .label("good", on="Only rename it.")
        .omit("Only rename it.")
        .compact("earlier", keep="In src/parser.py.")
        .user("And now?")
        .assistant("Now this.")
    )


WRITES: dict[str, Callable[[SessionBuilder], object]] = {
    "checkout": lambda s: s.checkout("In src/parser.py."),
    "checkout of the root": lambda s: s.checkout(None),
    "branch summary": lambda s: s.branch_at("Done, but slow.").branch_summary("tried to rename", left="Now this."),
    "label": lambda s: s.label("new"),
    "label in the place of another one": lambda s: s.label("better", on="Only rename it."),
    "label taken away": lambda s: s.clear_label("Only rename it."),
    "label emptied": lambda s: s.label("", on="Only rename it."),
    "label moved": lambda s: s.clear_label("Only rename it.").label("good", on="Now this."),
    "label moved to a labelled entry": lambda s: s.clear_label("Only rename it.").label("good", on="In src/parser.py."),
    "label on an entry that is not there": lambda s: s.entry("label", targetId="nowhere", label="lost"),
    "label set by Pi at another place": lambda s: s.branch_at("Done, but slow.").label("there", on="Done, but slow."),
    "name": lambda s: s.name("another"),
    "name taken away": lambda s: s.name(""),
    "omission": lambda s: s.omit("And now?"),
    "replacement": lambda s: s.edit("And now?", "What next?"),
    "edit of an edited entry": lambda s: s.edit("Only rename it.", "Rename it."),
    "compaction": lambda s: s.compact("all of it", keep="Now this."),
    "compaction that keeps nothing": lambda s: s.compact("all of it"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_after_an_undo_all_is_as_before_the_write(tmp_path: Path, write: Callable) -> None:
    built = base()
    before = session_state(built.write(tmp_path))
    write(built)
    file = built.write(tmp_path)
    assert session_state(file) != before

    with only_appended(file):
        undo(file)

    assert session_state(file) == before


FIRST_WRITES = {name: write for name, write in WRITES.items() if "moved to" not in name}
SECOND_WRITES: dict[str, Callable[[SessionBuilder], object]] = {
    "checkout": lambda s: s.checkout("Where is the parser?"),
    "label": lambda s: s.label("second"),
    "label moved": lambda s: s.clear_label("In src/parser.py.").label("found", on="Now this."),
    "name": lambda s: s.name("second"),
    "omission": lambda s: s.omit("In src/parser.py."),
    "compaction": lambda s: s.compact("second"),
}


@pytest.mark.parametrize("second", SECOND_WRITES.values(), ids=SECOND_WRITES)
@pytest.mark.parametrize("first", FIRST_WRITES.values(), ids=FIRST_WRITES)
def test_a_second_undo_goes_one_write_further_back(tmp_path: Path, first: Callable, second: Callable) -> None:
    built = base()
    states = [session_state(built.write(tmp_path))]
    for write in (first, second):
        write(built)
        states.append(session_state(built.write(tmp_path)))
    file = built.write(tmp_path)

    undo(file)
    assert session_state(file) == states[1]
    undo(file)
    assert session_state(file) == states[0]
    with pytest.raises(NotFound):
        undo(file)


def test_what_is_written_after_an_undo_is_taken_back_before_what_is_older(tmp_path: Path) -> None:
    built = base()
    states = [session_state(built.write(tmp_path))]
    file = built.label("one").write(tmp_path)
    states.append(session_state(file))
    _append(file, "session_info", name="lost")
    undo(file)
    _append(file, "session_info", name="last")

    undo(file)
    assert session_state(file) == states[1]
    undo(file)
    assert session_state(file) == states[0]


def _append(file: Path, type_: str, **fields: str) -> None:
    with Appender(file) as appender:
        appender.append(type_, dict(fields))


def test_an_undo_writes_down_what_it_took_back(tmp_path: Path) -> None:
    file = base().label("new").write(tmp_path)
    label = Session(file).leaf

    value = undo(file).value

    restored = [entry.id for entry in Session(file).newest_first()][1]
    assert value["customType"] == "pisess.undo"
    assert value["data"] == {"undone": [label.id], "restored": [restored]}


def test_a_label_that_comes_back_has_its_old_time(tmp_path: Path) -> None:
    built = session().user("one").label("good").clear_label("one")
    set_at = built.values[1]["timestamp"]
    file = built.write(tmp_path)

    undo(file)

    assert Session(file).tree.labels == {built.id("one"): Label("good", set_at)}


def test_taking_a_label_away_and_setting_another_one_are_two_writes(tmp_path: Path) -> None:
    built = session().user("one").assistant("two").label("old", on="one").clear_label("one").label("new", on="two")
    file = built.write(tmp_path)

    undo(file)

    assert Session(file).tree.labels == {}


def test_taking_a_label_away_and_setting_it_again_are_two_writes(tmp_path: Path) -> None:
    built = session().user("one").label("old", on="one").clear_label("one").label("old", on="one")
    file = built.write(tmp_path)

    undo(file)
    assert Session(file).tree.labels == {}
    undo(file)
    assert [label.text for label in Session(file).tree.labels.values()] == ["old"]


def test_a_label_keeps_the_leaf_where_it_is(tmp_path: Path) -> None:
    file = session().user("one").label("x").write(tmp_path)

    plan = plan_undo(Session(file))

    assert not plan.moves_leaf


@pytest.mark.parametrize("says", ["user", "assistant", "custom_message"])
def test_what_stands_before_a_message_is_not_taken_back(tmp_path: Path, says: str) -> None:
    built = session().user("one").label("x")
    getattr(built, says)("more")

    with pytest.raises(NotFound, match="nothing to undo"):
        plan_undo(Session(built.write(tmp_path)))


def test_what_stands_before_an_entry_of_an_unknown_type_is_not_taken_back(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing to undo"):
        plan_undo(Session(session().user("one").label("x").entry("from_the_future").write(tmp_path)))


def test_nothing_can_be_taken_back_in_an_empty_session(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing to undo"):
        plan_undo(Session(session().write(tmp_path)))


def test_what_pi_notes_after_a_write_does_not_hide_it(tmp_path: Path) -> None:
    built = session().user("one").assistant("two").checkout(None)
    checkout = built.values[-1]["id"]
    file = built.model("acme", "one").thinking("off").custom("extension.state").entry("usage").write(tmp_path)

    plan = plan_undo(Session(file))

    assert [entry.id for entry in plan.write] == [checkout]
    assert plan.leaf.id == built.id("two")


def test_a_write_at_the_start_of_a_file_leads_back_to_before_the_first_entry(tmp_path: Path) -> None:
    file = session().compact("all").write(tmp_path)

    undo(file)

    assert Session(file).leaf.parent_id is None


def test_an_undo_cannot_name_what_has_no_id(tmp_path: Path) -> None:
    file = session().user("one").entry("label", id=..., targetId=id_of(1), label="x").write(tmp_path)

    with pytest.raises(Refused, match="has no id"):
        plan_undo(Session(file))


def test_an_undo_cannot_lead_back_to_what_has_no_id(tmp_path: Path) -> None:
    built = session().entry("message", id=..., message={"role": "user", "content": "x"})
    file = built.compact("all").write(tmp_path)

    with pytest.raises(Refused, match="has no id"):
        plan_undo(Session(file))


@pytest.mark.parametrize("data", [None, 5, [], {}, {"undone": None}, {"undone": [None, 5, {}, ["x"]], "restored": "x"}])
def test_a_record_of_an_undo_that_holds_anything_hides_nothing(tmp_path: Path, data: object) -> None:
    built = session().user("one").label("x").custom("pisess.undo", data)

    plan = plan_undo(Session(built.write(tmp_path)))

    assert [entry.id for entry in plan.write] == [id_of(2)]


def test_a_record_of_an_undo_cannot_make_a_message_a_write(tmp_path: Path) -> None:
    built = session().user("one").label("x").user("two").custom("pisess.undo", {"undone": [id_of(3)]})

    with pytest.raises(NotFound):
        plan_undo(Session(built.write(tmp_path)))


@pytest.mark.parametrize("version", [1, 2])
def test_in_a_session_of_an_old_version(tmp_path: Path, version: int) -> None:
    built = session().version(version).user("one").assistant("two").name("first").name("second")
    file = built.write(tmp_path)

    undo(file)

    assert Session(file).tree.name == "first"
