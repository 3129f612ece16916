from pathlib import Path

from builder import SessionBuilder, session
from pisess_cli.core.session.branches import Branch, containing, list_branches
from pisess_cli.core.session.session import Session


def branches(s: SessionBuilder, folder: Path) -> list[Branch]:
    return list_branches(Session(s.write(folder)))


def test_the_current_branch_comes_first_then_those_written_last(tmp_path: Path) -> None:
    s = session().user("a").user("b").branch_at("a").user("c").branch_at("a").user("d").checkout("b")

    listed = branches(s, tmp_path)

    assert [branch.tip.id for branch in listed] == s.ids("b", "d", "c")
    assert [branch.is_current for branch in listed] == [True, False, False]


def test_a_branch_is_as_long_as_what_no_branch_before_it_has(tmp_path: Path) -> None:
    s = session().user("a").user("b").label("x").user("c").branch_at("a").user("d")

    current, other = branches(s, tmp_path)

    assert (current.length, other.length) == (2, 2)
    assert current.fork is None
    assert other.fork is not None
    assert other.fork.id == s.id("a")


def test_where_the_leaf_was_moved_back_head_is_a_tip_too(tmp_path: Path) -> None:
    s = session().user("a").user("b").user("c").checkout("b")

    current, other = branches(s, tmp_path)

    assert (current.tip.id, current.is_current, current.length) == (s.id("b"), True, 2)
    assert (other.tip.id, other.is_current, other.length) == (s.id("c"), False, 1)


def test_the_labels_of_a_branch_are_those_on_its_own_entries_newest_first(tmp_path: Path) -> None:
    s = session().user("a").label("one").user("b").label("two").branch_at("a").user("c")

    current, other = branches(s, tmp_path)

    assert [label.text for label in current.labels] == ["one"]
    assert [label.text for label in other.labels] == ["two"]
    both = branches(session().user("a").label("one").user("b").label("two"), tmp_path)
    assert [label.text for label in both[0].labels] == ["two", "one"]


def test_branches_of_different_roots_have_no_fork(tmp_path: Path) -> None:
    s = session().user("a").branch_at(None).user("b")

    assert [branch.fork for branch in branches(s, tmp_path)] == [None, None]


def test_a_session_without_history_has_no_branches(tmp_path: Path) -> None:
    assert branches(session(), tmp_path) == []
    assert branches(session().model("a", "b"), tmp_path) == []


def test_before_the_first_entry_no_branch_is_current(tmp_path: Path) -> None:
    s = session().user("a").checkout(None)

    assert [branch.is_current for branch in branches(s, tmp_path)] == [False]


def test_a_branch_contains_every_entry_at_or_above_its_tip(tmp_path: Path) -> None:
    s = session().user("a").user("b").branch_at("a").custom("x").user("c").user("d")
    opened = Session(s.write(tmp_path))
    listed = list_branches(opened)

    def tips(words: str) -> list[object]:
        entry = opened.get(s.id(words))
        assert entry is not None
        return [branch.tip.id for branch in containing(opened, listed, entry)]

    assert tips("a") == s.ids("d", "b")
    assert tips("c") == s.ids("d")
    assert tips("b") == s.ids("b")


def test_in_a_cycle_the_search_ends(tmp_path: Path) -> None:
    s = session().user("a").user("b").hang("a", under="b")
    opened = Session(s.write(tmp_path))
    entry = opened.get(s.id("a"))
    assert entry is not None

    assert len(containing(opened, list_branches(opened), entry)) == 1
