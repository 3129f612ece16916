import json
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, session, talk
from pisess_cli.core.session.session import Session
from running import Pisess, only_appended, unchanged

Golden = Callable[[str, str], None]


def branching() -> SessionBuilder:
    """a - b - c, and d - e off a; the leaf is e."""
    return session().user("a").user("b").label("x").user("c").branch_at("a").user("d").user("e")


def tips(pisess: Pisess, *args: object) -> list[str]:
    return [json.loads(line)["id"] for line in pisess.ok("branch", "--json", *args).lines]


def head(path: Path) -> object:
    found = Session(path).head
    return None if found is None else found.id


# Listing.


@pytest.mark.parametrize(("name", "args"), [("branch", []), ("branch-verbose", ["-v"]), ("branch-json", ["--json"])])
def test_a_list_of_branches_looks_as_it_did(pisess: Pisess, golden: Golden, name: str, args: list[str]) -> None:
    pisess.use(talk())

    golden(name, pisess.ok("branch", "--date=unix", *args).out)


def test_the_current_branch_comes_first_and_is_marked(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    lines = pisess.ok("branch").lines

    assert [line.split("\t")[:2] for line in lines] == [["*", s.id("e")], [" ", s.id("c")]]


def test_only_branches_that_have_an_entry_can_be_asked_for(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    assert tips(pisess, "--contains", "x") == s.ids("c")
    assert tips(pisess, "--contains", s.id("a")) == s.ids("e", "c")
    assert tips(pisess, "--contains", "HEAD") == s.ids("e")


def test_an_entry_of_another_session_is_on_no_branch_of_this_one(pisess: Pisess) -> None:
    pisess.use(branching())
    other = branching().write(pisess.home / "other.jsonl")

    assert "another session" in pisess.fail("branch", "--contains", f"{other}:HEAD", code=2)


def test_a_session_without_entries_has_no_branches(pisess: Pisess) -> None:
    pisess.use(session())

    assert pisess.ok("branch").out == ""


@pytest.mark.parametrize("args", [[], ["-v"], ["--json"], ["--contains", "HEAD"]])
@pytest.mark.parametrize("version", [1, 3])
def test_listing_changes_nothing(pisess: Pisess, version: int, args: list[str]) -> None:
    pisess.use(talk().version(version).without_final_newline())

    with unchanged(pisess.home):
        pisess.ok("branch", *args)


# Naming and starting.


def test_a_name_labels_an_entry_and_leaves_the_leaf(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    with only_appended(path):
        printed = pisess.ok("branch", "mine", s.id("c")).line

    made = json.loads(path.read_bytes().split(b"\n")[-2])
    assert (made["id"], made["type"]) == (printed, "label")
    assert (made["targetId"], made["label"]) == (s.id("c"), "mine")
    assert head(path) == s.id("e")


def test_a_name_without_a_revision_labels_head(pisess: Pisess) -> None:
    s = branching()
    pisess.use(s)

    pisess.ok("branch", "mine")

    assert pisess.ok("show", "--json", "mine").line == s.lines[-1].decode()


def test_a_name_that_is_taken_is_refused_unless_forced(pisess: Pisess) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "another entry has that label" in pisess.fail("branch", "x")
    pisess.ok("branch", "-f", "x")


def test_a_branch_is_started_where_one_says(pisess: Pisess) -> None:
    s = branching()
    path = pisess.use(s)

    with only_appended(path):
        pisess.ok("branch", "--at", "x")

    assert head(path) == s.id("b")


def test_a_branch_cannot_start_in_another_session(pisess: Pisess) -> None:
    path = pisess.use(branching())
    other = session("other").user("there").write(pisess.home / "other.jsonl")

    with unchanged(path.parent):
        assert "another session" in pisess.fail("branch", "--at", f"{other}:HEAD", code=2)


@pytest.mark.parametrize("args", [["mine", "--at", "x"], ["mine", "--contains", "x"], ["--at", "x", "--contains", "x"]])
def test_only_one_thing_is_done_at_a_time(pisess: Pisess, args: list[str]) -> None:
    path = pisess.use(branching())

    with unchanged(path.parent):
        assert "do not go together" in pisess.fail("branch", *args, code=2)
