from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from builder import SessionBuilder, session, talk
from pisess_cli.core.session.reflog import Move, moves
from pisess_cli.core.session.session import Session


@pytest.fixture
def moves_of(tmp_path: Path) -> Callable[[SessionBuilder], list[Move]]:
    return lambda built: list(moves(Session(built.write(tmp_path))))


def ends(found: list[Move]) -> list[tuple[object, object]]:
    return [(move.origin.id, move.destination and move.destination.id) for move in found]


def test_a_session_that_only_went_on_has_no_moves(moves_of: Callable) -> None:
    assert moves_of(session().model("acme", "one").user("one").assistant("two").label("x").user("three")) == []


def test_a_checkout_is_a_move(moves_of: Callable) -> None:
    built = session().user("one").assistant("two").checkout("one")

    [move] = moves_of(built)

    assert (move.kind, *ends([move])) == ("checkout", (built.id("two"), built.id("one")))


def test_a_branch_that_was_made_in_pi_is_a_move(moves_of: Callable) -> None:
    built = session().user("one").assistant("two").branch_at("one").assistant("other")

    [move] = moves_of(built)

    assert (move.kind, *ends([move])) == ("branch", (built.id("two"), built.id("one")))


def test_a_branch_summary_is_a_move(moves_of: Callable) -> None:
    built = session().user("one").assistant("two").branch_at("one").branch_summary("tried two", left="two")

    assert [move.kind for move in moves_of(built)] == ["branch_summary"]


def test_an_undo_is_a_move_where_it_moved_the_leaf(moves_of: Callable) -> None:
    built = session().user("one").omit("one").branch_at("one").custom("pisess.undo", {"undone": ["0002beef"]})

    assert [move.kind for move in moves_of(built)] == ["undo"]


def test_moves_come_newest_first(moves_of: Callable) -> None:
    built = session().user("one").assistant("two").checkout("one").assistant("three").checkout("two").checkout("one")

    assert ends(moves_of(built)) == [
        (built.id("two"), built.id("one")),
        (built.id("three"), built.id("two")),
        (built.id("two"), built.id("one")),
    ]


def test_a_checkout_of_the_root_leads_nowhere(moves_of: Callable) -> None:
    built = session().user("one").checkout(None).user("two").checkout("one")

    assert ends(moves_of(built)) == [(built.id("two"), built.id("one")), (built.id("one"), None)]


def test_what_was_written_while_pi_was_at_work_is_no_move(moves_of: Callable) -> None:
    built = session().user("one").assistant("two").label("x").name("n").branch_at("two").user("three")

    assert moves_of(built) == []


def test_an_edit_that_pi_left_behind_is_a_move(moves_of: Callable) -> None:
    built = session().user("one").assistant("two").omit("one").branch_at("two").user("three")

    assert ends(moves_of(built)) == [("0003beef", built.id("two"))]


def test_orphans_are_moves_to_before_the_first_entry(moves_of: Callable) -> None:
    built = session().user("one").entry("message", parentId="nowhere", message={"role": "user", "content": "x"})

    assert ends(moves_of(built)) == [(built.id("one"), None)]


def test_bookkeeping_in_a_circle_ends_the_search(moves_of: Callable) -> None:
    built = session().model("acme", "one").model("acme", "two")
    built.values[0]["parentId"] = "0002beef"
    built.user("one").branch_at("0001beef").custom("note")

    assert ends(moves_of(built)) == [(built.id("one"), "0001beef")]


def test_bookkeeping_is_walked_once_however_often_it_was_left(tmp_path: Path) -> None:
    built = session().user("one").assistant("two")
    for _ in range(100):
        built.custom("note")
    left = built.values[-1]["id"]
    for number in range(100):
        built.branch_at(left if number % 2 else "one").custom("note")
    opened = Session(built.write(tmp_path))

    with mock.patch.object(opened, "get", wraps=opened.get) as get:
        assert len(list(moves(opened))) == 100

    assert get.call_count < 1000


def test_the_moves_of_a_talk(moves_of: Callable) -> None:
    built = talk()

    assert ends(moves_of(built)) == [(built.id("Done, but slow."), built.id("In src/parser.py."))]
