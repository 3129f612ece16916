"""The name of a session that was read from its end."""

from pathlib import Path
from unittest import mock

from builder import session
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import id_index


def test_a_name_near_the_end_is_found_without_the_rest(tmp_path: Path) -> None:
    path = session().name("early").user("hi").name("late").user("you").write(tmp_path)

    with mock.patch.object(id_index, "read_id_index", side_effect=AssertionError("the whole file was gone through")):
        assert Session(path).name == "late"


def test_a_name_far_from_the_end_is_found_too(tmp_path: Path) -> None:
    made = session().name("early")
    for number in range(300):
        made = made.user(str(number))

    assert Session(made.write(tmp_path)).name == "early"


def test_a_name_that_was_taken_away_is_none(tmp_path: Path) -> None:
    assert Session(session().name("early").name("").user("hi").write(tmp_path)).name is None
