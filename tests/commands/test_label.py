import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import SessionBuilder, session, talk
from running import Pisess, only_appended, unchanged

Golden = Callable[[str, str], None]


def labelled() -> SessionBuilder:
    return session().user("a").label("one").user("b").label("two").user("c")


def labels(pisess: Pisess) -> dict[str, str]:
    listed = [json.loads(line) for line in pisess.ok("label", "--json").lines]
    return {label["label"]: label["id"] for label in listed}


def last(path: Path) -> dict[str, object]:
    entry: dict[str, object] = json.loads(path.read_bytes().split(b"\n")[-2])
    return entry


# Listing.


@pytest.mark.parametrize(("name", "args"), [("label", []), ("label-json", ["--json"])])
def test_a_list_of_labels_looks_as_it_did(pisess: Pisess, golden: Golden, name: str, args: list[str]) -> None:
    pisess.use(labelled().entry("label", targetId="unknown!", label="lost"))

    golden(name, pisess.ok("label", "--date=unix", *args).out)


def test_without_labels_the_list_is_empty(pisess: Pisess) -> None:
    pisess.use(session().user("a"))

    assert pisess.ok("label").out == ""


@pytest.mark.parametrize("args", [[], ["--json"]])
@pytest.mark.parametrize("version", [2, 3])
def test_listing_changes_nothing(pisess: Pisess, version: int, args: list[str]) -> None:
    pisess.use(talk().version(version).without_final_newline())

    with unchanged(pisess.home):
        pisess.ok("label", *args)


# Setting.


def test_a_label_is_set_on_head_and_its_entry_printed(pisess: Pisess) -> None:
    s = labelled()
    path = pisess.use(s)

    with only_appended(path):
        printed = pisess.ok("label", "three").line

    made = last(path)
    assert made["id"] == printed
    assert list(made) == ["type", "id", "parentId", "timestamp", "targetId", "label"]
    assert (made["targetId"], made["label"], made["parentId"]) == (s.id("c"), "three", s.id("c"))


def test_a_label_is_set_on_the_entry_that_is_named(pisess: Pisess) -> None:
    s = session().user("a").user("b")
    pisess.use(s)

    pisess.ok("label", "first", "HEAD~1")

    assert labels(pisess) == {"first": s.id("a")}


def test_a_label_then_is_a_revision(pisess: Pisess) -> None:
    pisess.use(session().user("a").user("b"))

    pisess.ok("label", "first", "HEAD^")

    assert pisess.ok("show", "--raw", "first").line == "a"
    assert pisess.ok("show", "--raw", "label:first").line == "a"


def test_bookkeeping_can_be_labelled_too(pisess: Pisess) -> None:
    s = session().user("a").custom("x")
    pisess.use(s)

    pisess.ok("label", "here", "LEAF")

    assert labels(pisess) == {"here": s.values[1]["id"]}


def test_what_is_there_already_is_not_written_again(pisess: Pisess) -> None:
    path = pisess.use(labelled())

    with unchanged(path.parent):
        result = pisess.ok("label", "two", "two")

    assert result.out == ""
    assert "there already" in result.err


def test_a_label_of_another_entry_is_refused_unless_forced(pisess: Pisess) -> None:
    s = labelled()
    path = pisess.use(s)

    with unchanged(path.parent):
        assert "another entry has that label" in pisess.fail("label", "one")
    pisess.ok("label", "-f", "one")

    assert labels(pisess) == {"two": s.id("b"), "one": s.id("c")}


def test_another_label_of_the_entry_is_refused_unless_forced(pisess: Pisess) -> None:
    s = labelled()
    path = pisess.use(s)

    with unchanged(path.parent):
        assert "has a label already (one)" in pisess.fail("label", "uno", "one")
    pisess.ok("label", "-f", "uno", "one")

    assert labels(pisess) == {"uno": s.id("a"), "two": s.id("b")}


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_a_label_needs_a_name(pisess: Pisess, name: str) -> None:
    path = pisess.use(labelled())

    with unchanged(path.parent):
        assert "needs a name" in pisess.fail("label", name, code=2)


def test_a_label_on_an_unknown_entry_is_refused(pisess: Pisess) -> None:
    path = pisess.use(labelled())

    with unchanged(path.parent):
        pisess.fail("label", "x", "unknown")
    with unchanged(path.parent):
        pisess.fail("label", "x", "ROOT")


def test_a_label_on_an_entry_of_another_session_is_refused(pisess: Pisess) -> None:
    path = pisess.use(labelled())
    other = session("other").user("there").write(pisess.home / "other.jsonl")

    with unchanged(path.parent):
        assert "another session" in pisess.fail("label", "x", f"{other}:HEAD", code=2)


@pytest.mark.parametrize("name", ["HEAD", "-x", "a..b", "é 日本", "@1", "0001beef", 'say "hi"', "label:x"])
def test_any_name_is_found_again(pisess: Pisess, name: str) -> None:
    s = session().user("a").user("b")
    pisess.use(s)

    pisess.ok("label", "--", name, "HEAD~1")

    assert labels(pisess) == {name: s.id("a")}
    assert pisess.ok("show", "--raw", f"label:{name}").line == "a"


def test_a_torn_last_line_takes_no_label_along(pisess: Pisess) -> None:
    path = pisess.use(session().user("a").torn())

    with only_appended(path):
        pisess.ok("label", "kept")

    assert list(labels(pisess)) == ["kept"]


# Clearing.


@pytest.mark.parametrize("name", ["one", "0001", "HEAD~2"])
def test_a_label_is_taken_away_by_its_name_or_its_entry(pisess: Pisess, name: str) -> None:
    s = labelled()
    path = pisess.use(s)

    with only_appended(path):
        printed = pisess.ok("label", "-d", name).line

    assert list(labels(pisess)) == ["two"]
    assert last(path)["id"] == printed
    assert "label" not in last(path)


def test_what_is_no_label_cannot_be_taken_away(pisess: Pisess) -> None:
    path = pisess.use(labelled())

    with unchanged(path.parent):
        assert "has no label" in pisess.fail("label", "-d", "HEAD")
    with unchanged(path.parent):
        pisess.fail("label", "-d", "unknown")


def test_the_label_of_an_entry_that_is_gone_can_be_taken_away(pisess: Pisess) -> None:
    pisess.use(labelled().entry("label", targetId="unknown!", label="lost"))

    pisess.ok("label", "-d", "lost")

    assert list(labels(pisess)) == ["one", "two"]


def test_taking_away_takes_no_second_name(pisess: Pisess) -> None:
    path = pisess.use(labelled())

    with unchanged(path.parent):
        pisess.fail("label", "-d", "one", "two", code=2)


def test_labels_of_a_large_session_are_kept_and_the_same_without(pisess: Pisess) -> None:
    path = pisess.use(session().user("x" * 9_000_000).assistant("short").user("last"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    pisess.ok("label", "first", "HEAD~2")
    pisess.ok("label", "second", "HEAD~1")

    assert "another entry has that label" in pisess.fail("label", "first", "HEAD")
    assert list((pisess.home / ".cache/pisess/marks").iterdir())
    assert pisess.ok("label").out == pisess.ok("label", env={"PISESS_NO_CACHE": "1"}).out
    assert list(labels(pisess)) == ["first", "second"]
