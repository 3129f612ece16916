import json
from pathlib import Path
from typing import Any

import pytest

from builder import session, talk
from running import Pisess, only_appended, unchanged


def last(file: Path) -> Any:
    return json.loads(file.read_bytes().splitlines()[-1])


def test_the_name_is_shown(pisess: Pisess) -> None:
    file = pisess.use(talk().name("the talk").user("more"))

    with unchanged(file.parent):
        assert pisess.ok("name").line == "the talk"


def test_the_last_name_counts_whatever_branch_it_is_on(pisess: Pisess) -> None:
    pisess.use(session().user("one").name("first").name("second").branch_at("one").assistant("two"))

    assert pisess.ok("name").line == "second"


@pytest.mark.parametrize("built", [talk(), talk().name("the talk").name(""), talk().name(5)])
def test_a_session_without_a_name_fails(pisess: Pisess, built: Any) -> None:
    pisess.use(built)

    assert "the session has no name" in pisess.fail("name")


def test_a_name_is_set_and_its_entry_printed(pisess: Pisess) -> None:
    file = pisess.use(talk())

    with only_appended(file):
        printed = pisess.ok("name", " the\nparser\r\nrewrite ").line

    assert (last(file)["id"], last(file)["type"], last(file)["name"]) == (printed, "session_info", "the parser rewrite")
    assert pisess.ok("name").line == "the parser rewrite"


def test_a_session_is_selected_by_its_name(pisess: Pisess) -> None:
    pisess.env["PISESS_SESSION_DIR"] = str(pisess.home)
    pisess.use(talk())

    pisess.ok("name", "the talk")

    assert pisess.ok("-s", "the talk", "rev-parse", "HEAD").line == talk().id("Renamed.")


def test_the_same_name_is_not_written_again(pisess: Pisess) -> None:
    file = pisess.use(talk().name("the talk"))

    with unchanged(file.parent):
        result = pisess.ok("name", "the talk")

    assert (result.out, result.err) == ("", "that is its name already\n")


def test_a_name_is_taken_away(pisess: Pisess) -> None:
    file = pisess.use(talk().name("the talk"))

    with only_appended(file):
        pisess.ok("name", "-d")

    assert last(file)["name"] == ""
    pisess.fail("name")


def test_a_name_that_is_not_there_cannot_be_taken_away(pisess: Pisess) -> None:
    file = pisess.use(talk())

    with unchanged(file.parent):
        assert "the session has no name" in pisess.fail("name", "-d")


@pytest.mark.parametrize("text", ["", "  ", "\n", "\ufeff"])
def test_a_name_is_not_empty(pisess: Pisess, text: str) -> None:
    file = pisess.use(talk())

    with unchanged(file.parent):
        assert "cannot be empty" in pisess.fail("name", text, code=2)


def test_a_new_name_and_none_do_not_go_together(pisess: Pisess) -> None:
    pisess.use(talk())

    pisess.fail("name", "-d", "the talk", code=2)


def test_a_name_is_missed_in_a_large_file_too(pisess: Pisess) -> None:
    built = session()
    for _ in range(30):
        built.user("word " * 20_000)
    file = pisess.use(built)
    assert file.stat().st_size > 2 * 1024 * 1024

    pisess.fail("name")


def test_a_name_far_from_the_end_of_the_file_is_found(pisess: Pisess) -> None:
    built = session().name("early")
    for _ in range(30):
        built.user("word " * 20_000)
    pisess.use(built)

    assert pisess.ok("name").line == "early"


def test_inside_pi_a_name_can_be_set(pisess: Pisess) -> None:
    file = pisess.use(talk())

    pisess.ok("name", "the talk", env={"PI_SESSION_FILE": str(file)})

    assert pisess.ok("name").line == "the talk"


@pytest.mark.parametrize("again", [(), ("the talk",)])
def test_a_name_as_json(pisess: Pisess, again: tuple[str, ...]) -> None:
    file = pisess.use(talk().name("the talk"))

    with unchanged(file.parent):
        printed = json.loads(pisess.ok("name", "--json", *again).line)

    assert printed == ({"id": None, "name": "the talk"} if again else {"name": "the talk"})


def test_no_name_as_json_is_null_and_a_failure(pisess: Pisess) -> None:
    pisess.use(talk())

    result = pisess("name", "--json")

    assert (result.code, result.line) == (1, '{"name":null}')
    assert "the session has no name" in result.err


@pytest.mark.parametrize(("change", "name"), [(" the\nparser ", "the parser"), ("-d", None)])
def test_a_change_of_the_name_as_json(pisess: Pisess, change: str, name: str | None) -> None:
    file = pisess.use(talk().name("the talk"))

    printed = json.loads(pisess.ok("name", change, "--json").line)

    assert printed == {"id": last(file)["id"], "name": name}
