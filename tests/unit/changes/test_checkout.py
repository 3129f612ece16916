from pathlib import Path

import pytest

from builder import SessionBuilder, session
from pisess_cli.core.changes.checkout import is_there, left_branch, move, newest_tip, real_parent
from pisess_cli.core.errors import NotFound
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.entry_text import message_text
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.reflog import is_checkout
from pisess_cli.core.session.session import Session


class Place:
    """A session, and the entries in it by their words."""

    def __init__(self, s: SessionBuilder, folder: Path) -> None:
        self.s = s
        self.session = Session(s.write(folder))

    def __getitem__(self, words: str) -> Entry:
        entry = self.session.get(self.s.id(words))
        assert entry is not None
        return entry

    def move(self, words: str | None, **how: object) -> Entry:
        with Appender(self.session.path) as appender:
            return move(appender, None if words is None else self[words], **how)  # type: ignore[arg-type]  # keywords

    def is_at(self, words: str | None) -> bool:
        return is_there(self.session, None if words is None else self[words])


# The move.


def test_a_checkout_hangs_from_its_target_and_remembers_where_it_came_from(tmp_path: Path) -> None:
    place = Place(session().user("a").user("b"), tmp_path)

    made = place.move("a")

    assert is_checkout(made)
    assert made.parent_id == place["a"].id
    assert made.value["data"] == {"from": place["b"].id}


def test_after_a_checkout_its_target_is_head(tmp_path: Path) -> None:
    place = Place(session().user("a").user("b"), tmp_path)

    place.move("a")

    head = Session(place.session.path).head
    assert head is not None
    assert head.id == place["a"].id


def test_a_checkout_of_the_root_hangs_from_nothing(tmp_path: Path) -> None:
    place = Place(session().user("a"), tmp_path)

    made = place.move(None)

    assert made.parent_id is None
    assert Session(place.session.path).head is None


def test_with_a_summary_the_move_is_the_summary(tmp_path: Path) -> None:
    place = Place(session().user("a").user("b"), tmp_path)

    made = place.move("a", summary="It did not work.", details={"readFiles": [], "modifiedFiles": []})

    assert made.type == "branch_summary"
    assert made.parent_id == place["a"].id
    assert list(made.value)[4:] == ["fromId", "summary", "details", "fromHook"]
    assert made.value["fromId"] == place["b"].id


# Whether one is there.


def test_one_is_at_the_leaf(tmp_path: Path) -> None:
    place = Place(session().user("a").user("b"), tmp_path)

    assert place.is_at("b")
    assert not place.is_at("a")
    assert not place.is_at(None)


def test_bookkeeping_behind_the_target_does_not_matter(tmp_path: Path) -> None:
    place = Place(session().user("a").label("x").model("acme", "one"), tmp_path)

    assert place.is_at("a")
    assert place.is_at(str(place.s.values[1]["id"]))


def test_after_a_checkout_one_is_there(tmp_path: Path) -> None:
    assert Place(session().user("a").user("b").checkout("a"), tmp_path).is_at("a")
    assert Place(session().user("a").checkout(None), tmp_path).is_at(None)


def test_an_empty_session_is_at_its_root(tmp_path: Path) -> None:
    assert Place(session(), tmp_path).is_at(None)


# Places.


def test_the_real_parent_may_be_bookkeeping(tmp_path: Path) -> None:
    place = Place(session().user("a").label("x").user("b"), tmp_path)

    above = real_parent(place.session, place["b"])

    assert above is not None
    assert above.type == "label"
    assert real_parent(place.session, place["a"]) is None


@pytest.mark.parametrize("parent", ["unknown!", None, "", ...])
def test_above_a_root_there_is_nothing(tmp_path: Path, parent: object) -> None:
    place = Place(session().user("a").entry("message", parentId=parent, says="b"), tmp_path)

    assert real_parent(place.session, place["b"]) is None


def test_an_entry_that_is_its_own_parent_is_a_root(tmp_path: Path) -> None:
    place = Place(session().user("a").hang("a", under="a"), tmp_path)

    assert real_parent(place.session, place["a"]) is None


def test_the_newest_tip_is_that_below_the_entry(tmp_path: Path) -> None:
    s = session().user("a").user("b").user("c").branch_at("b").user("d").branch_at("a").user("e")
    place = Place(s, tmp_path)

    assert newest_tip(place.session, place["b"]).id == s.id("d")
    assert newest_tip(place.session, place["c"]).id == s.id("c")
    assert newest_tip(place.session, place["a"]).id == s.id("e")
    assert newest_tip(place.session, None).id == s.id("e")


def test_below_bookkeeping_at_the_end_there_is_no_tip(tmp_path: Path) -> None:
    place = Place(session().user("a").custom("x"), tmp_path)

    with pytest.raises(NotFound):
        newest_tip(place.session, place[str(place.s.values[1]["id"])])


def test_the_newest_tip_is_found_among_thousands(tmp_path: Path) -> None:
    s = session().user("a").user("b").branch_at("a")
    for number in range(3000):
        s.user(f"on {number}")
    for number in range(3000):
        s.branch_at("on 2999").user(f"tip {number}")
    place = Place(s, tmp_path)

    assert newest_tip(place.session, place["b"]).id == s.id("b")


# What is left.


def test_what_is_left_is_what_is_not_above_the_target(tmp_path: Path) -> None:
    s = session().user("top").user("a").user("b").branch_at("top").user("c").user("d")
    place = Place(s, tmp_path)

    left = left_branch(place.session, place["b"])

    assert left is not None
    assert [message_text(message) for message in left.messages] == ["c", "d"]


def test_nothing_is_left_by_going_further_down(tmp_path: Path) -> None:
    s = session().user("a").user("b").user("c").checkout("a")
    place = Place(s, tmp_path)

    assert left_branch(place.session, place["c"]) is not None
    fresh = Place(session().user("a").user("b"), tmp_path)
    assert left_branch(fresh.session, fresh["b"]) is None
