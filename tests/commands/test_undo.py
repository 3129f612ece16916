import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builder import session, talk
from running import Pisess, only_appended, unchanged
from session_state import session_state

WRITES = {
    "checkout": ("checkout", "found"),
    "checkout-root": ("checkout", "--root"),
    "branch-summary": ("checkout", "-", "-m", "It was renamed."),
    "label": ("label", "new"),
    "label-moved": ("label", "-f", "found", "HEAD"),
    "label-cleared": ("label", "-d", "found"),
    "name": ("name", "the talk"),
    "omission": ("edit", "HEAD~1", "--omit"),
    "replacement": ("edit", "HEAD~1", "-m", "Rename it."),
    "compaction": ("compact", "-m", "So far.", "--keep-none"),
}


def last(file: Path) -> Any:
    return json.loads(file.read_bytes().splitlines()[-1])


def without_ids(text: str, file: Path, before: int) -> str:
    """The text with the ids of new entries named by their places."""
    for number, line in enumerate(file.read_bytes().splitlines()[before:], 1):
        text = text.replace(json.loads(line)["id"], f"<new {number}>")
    return text


@pytest.mark.parametrize(("name", "write"), WRITES.items(), ids=WRITES)
def test_a_write_is_taken_back(
    pisess: Pisess, name: str, write: tuple[str, ...], golden: Callable[[str, str], None]
) -> None:
    file = pisess.use(talk())
    before, count = session_state(file), len(file.read_bytes().splitlines())
    pisess.ok(*write)

    with only_appended(file):
        result = pisess.ok("undo")

    assert session_state(file) == before
    assert result.line == last(file)["id"]
    golden(f"undo-{name}", without_ids(result.err, file, count))


def test_one_write_after_the_other_is_taken_back(pisess: Pisess) -> None:
    file = pisess.use(talk())
    states = []
    for write in (WRITES["label"], WRITES["omission"], WRITES["name"], WRITES["checkout"]):
        states.append(session_state(file))
        pisess.ok(*write)

    for state in reversed(states):
        pisess.ok("undo")
        assert session_state(file) == state
    assert "nothing to undo" in pisess.fail("undo")


def test_a_dry_run_says_what_would_be_done(pisess: Pisess) -> None:
    file = pisess.use(talk().checkout("In src/parser.py."))

    with unchanged(file.parent):
        result = pisess.ok("undo", "--dry-run")

    assert result.out == ""
    assert result.err == f"would take back: checkout (000dbeef)\n  the leaf is at {talk().id('Renamed.')} (Renamed.)\n"


def test_nothing_is_taken_back_that_pi_has_gone_on_from(pisess: Pisess) -> None:
    file = pisess.use(talk().checkout("In src/parser.py.").user("And now?"))

    with unchanged(file.parent):
        assert "nothing to undo" in pisess.fail("undo")


def test_an_undone_checkout_is_done_again_by_a_checkout(pisess: Pisess) -> None:
    pisess.use(talk())
    pisess.ok("checkout", "found")
    pisess.ok("undo")

    pisess.ok("checkout", "-")

    assert pisess.ok("rev-parse", "HEAD").line == talk().id("In src/parser.py.")


def test_inside_pi_the_leaf_is_not_moved_unless_forced(pisess: Pisess) -> None:
    file = pisess.use(talk().omit("Renamed."))
    inside = {"PI_SESSION_FILE": str(file)}

    with unchanged(file.parent):
        assert "Pi is at work on this session" in pisess.fail("undo", env=inside)
    pisess.ok("undo", "-f", env=inside)

    assert last(file)["customType"] == "pisess.undo"


def test_inside_pi_not_even_a_label_is_taken_back(pisess: Pisess) -> None:
    file = pisess.use(talk().label("new"))

    with unchanged(file):
        assert "Pi is at work on this session" in pisess.fail("undo", env={"PI_SESSION_FILE": str(file)})


def test_a_file_of_an_old_version_with_nothing_to_undo_is_left_as_it_is(pisess: Pisess) -> None:
    file = pisess.use(session().version(1).user("one"))

    with unchanged(file.parent):
        pisess.fail("undo")


def test_words_from_the_file_cannot_steer_a_terminal(pisess: Pisess) -> None:
    pisess.use(session().user("one").name("\x1b[31mred\u202e").name("two"))

    said = pisess.ok("undo").err

    assert "\x1b" not in said
    assert "\u202e" not in said


# JSON.


def undone(pisess: Pisess, *args: str) -> Any:
    return json.loads(pisess.ok("undo", "--json", *args).line)


def test_an_undo_as_json(pisess: Pisess) -> None:
    file = pisess.use(talk().checkout("In src/parser.py."))
    checkout = last(file)["id"]

    printed = undone(pisess)

    assert printed == {
        "id": last(file)["id"],
        "kind": "checkout",
        "undone": [checkout],
        "head": talk().id("Renamed."),
        "labels": [],
        "name": None,
    }


def test_a_dry_run_as_json_has_no_id(pisess: Pisess) -> None:
    file = pisess.use(talk().omit("Renamed."))

    with unchanged(file.parent):
        printed = undone(pisess, "--dry-run")

    assert (printed["id"], printed["kind"], printed["undone"]) == (None, "context_edit", [last(file)["id"]])
    assert printed["head"] == talk().id("Renamed.")


def test_the_json_of_a_label_that_moved_tells_what_the_labels_are_again(pisess: Pisess) -> None:
    file = pisess.use(talk())
    pisess.ok(*WRITES["label-moved"])
    written = [json.loads(line)["id"] for line in file.read_bytes().splitlines()[-2:]]

    printed = undone(pisess)

    here, there = talk().ids("Renamed.", "In src/parser.py.")
    assert (printed["kind"], printed["undone"], printed["head"]) == ("label", written, here)
    assert printed["labels"] == [{"targetId": there, "label": "found"}, {"targetId": here, "label": None}]


def test_the_json_of_a_name_tells_the_one_before(pisess: Pisess) -> None:
    pisess.use(talk().name("the talk").name("another"))

    printed = undone(pisess)

    assert (printed["kind"], printed["name"]) == ("session_info", "the talk")


def test_before_the_first_entry_there_is_no_head(pisess: Pisess) -> None:
    pisess.use(session().branch_summary("It did not work."))

    printed = undone(pisess)

    assert (printed["kind"], printed["head"]) == ("branch_summary", None)
