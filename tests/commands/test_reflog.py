import json
from collections.abc import Callable

from builder import SessionBuilder, session, talk
from running import Pisess, unchanged

FIELDS = ["revision", "kind", "id", "from", "to", "timestamp"]


def moved() -> SessionBuilder:
    """A talk whose leaf was moved in every way."""
    return (
        talk()
        .checkout("Done, but slow.")
        .user("Make it fast.")
        .branch_at("Renamed.")
        .branch_summary("It got faster.", left="Make it fast.")
        .omit("Renamed.")
        .branch_at("It got faster.")
        .custom("pisess.undo", {"undone": ["0010beef"]})
        .checkout(None)
    )


def test_moves_are_listed_newest_first(pisess: Pisess, golden: Callable[[str, str], None]) -> None:
    file = pisess.use(moved())

    with unchanged(file.parent):
        result = pisess.ok("reflog", "--date", "unix")

    golden("reflog", result.out)


def test_moves_as_json(pisess: Pisess, golden: Callable[[str, str], None]) -> None:
    pisess.use(moved())

    result = pisess.ok("reflog", "--json")

    assert all(list(json.loads(line)) == FIELDS for line in result.lines)
    golden("reflog-json", result.out)


def test_the_names_of_the_moves_are_revisions(pisess: Pisess) -> None:
    pisess.use(moved())

    moves = [json.loads(line) for line in pisess.ok("reflog", "--json").lines]

    assert moves
    assert pisess.ok("rev-parse", *(move["revision"] for move in moves)).lines == [move["from"] for move in moves]


def test_as_many_as_are_wanted(pisess: Pisess) -> None:
    pisess.use(moved())

    lines = pisess.ok("reflog").lines

    assert pisess.ok("reflog", "-n", 2).lines == lines[:2]
    assert pisess.ok("reflog", "-n", 0).lines == []


def test_a_session_that_only_went_on_has_none(pisess: Pisess) -> None:
    pisess.use(session().user("one").assistant("two"))

    assert pisess.ok("reflog").out == ""


def test_words_from_the_file_cannot_steer_a_terminal(pisess: Pisess) -> None:
    pisess.use(session().user("one").assistant("\x1b[31mred\u202e").checkout("one"))

    assert "\x1b" not in pisess.ok("reflog").out
    assert "\u202e" not in pisess.ok("reflog").out
