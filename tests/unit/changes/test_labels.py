from pathlib import Path

import pytest

from builder import SessionBuilder, session
from pisess_cli.core.changes.labels import clear_label, set_label
from pisess_cli.core.errors import NotFound, Refused, UsageFault
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.labels import labelled, list_labels
from pisess_cli.core.session.session import Session
from running import only_appended, unchanged


class Labels:
    """A session whose labels are set in verbs."""

    def __init__(self, s: SessionBuilder, folder: Path) -> None:
        self.s = s
        self.path = s.write(folder)

    def set(self, name: str, on: str, *, force: bool = False) -> object:
        with Appender(self.path) as appender:
            target = appender.session.get(self.s.id(on))
            assert target is not None
            made = set_label(appender, name, target, force=force)
        return None if made is None else made.id

    def clear(self, target: object) -> None:
        with Appender(self.path) as appender:
            clear_label(appender, target)  # type: ignore[arg-type]  # any JSON may be asked for

    @property
    def all(self) -> dict[object, object]:
        return {found.label.text: found.target for found in list_labels(Session(self.path))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def test_a_label_names_its_entry(folder: Path) -> None:
    labels = Labels(session().user("hi").user("yes"), folder)

    with only_appended(labels.path):
        labels.set("good", on="hi")

    assert labels.all == {"good": labels.s.id("hi")}


def test_a_label_that_is_there_already_is_not_set_again(folder: Path) -> None:
    labels = Labels(session().user("hi").label("good"), folder)

    with unchanged(folder):
        assert labels.set("good", on="hi") is None
        assert labels.set(" good ", on="hi") is None


def test_a_label_that_another_entry_has_is_refused(folder: Path) -> None:
    labels = Labels(session().user("hi").label("good").user("yes"), folder)

    with unchanged(folder), pytest.raises(Refused, match="another entry has that label"):
        labels.set("good", on="yes")


def test_with_force_a_label_moves(folder: Path) -> None:
    labels = Labels(session().user("hi").label("good").user("yes"), folder)

    labels.set("good", on="yes", force=True)

    assert labels.all == {"good": labels.s.id("yes")}


def test_a_label_does_not_replace_another_one(folder: Path) -> None:
    labels = Labels(session().user("hi").label("good"), folder)

    with unchanged(folder), pytest.raises(Refused, match=r"has a label already \(good\)"):
        labels.set("better", on="hi")


def test_with_force_a_label_is_replaced(folder: Path) -> None:
    labels = Labels(session().user("hi").label("good"), folder)

    labels.set("better", on="hi", force=True)

    assert labels.all == {"better": labels.s.id("hi")}


@pytest.mark.parametrize("name", ["", " ", "\ufeff\n"])
def test_a_label_needs_a_name(folder: Path, name: str) -> None:
    labels = Labels(session().user("hi"), folder)

    with unchanged(folder), pytest.raises(UsageFault):
        labels.set(name, on="hi")


@pytest.mark.parametrize("name", ["é日本", 'say "hi"', "back\\slash", "two\nlines", "\ud83d"])
def test_a_label_may_have_any_characters(folder: Path, name: str) -> None:
    labels = Labels(session().user("hi").user("yes"), folder)

    labels.set(name, on="hi")

    assert labels.all == {name: labels.s.id("hi")}
    with pytest.raises(Refused):
        labels.set(name, on="yes")


def test_a_cleared_label_is_free_for_another_entry(folder: Path) -> None:
    labels = Labels(session().user("hi").label("good").user("yes"), folder)

    labels.clear(labels.s.id("hi"))
    labels.set("good", on="yes")

    assert labels.all == {"good": labels.s.id("yes")}


@pytest.mark.parametrize("target", ["unknown!", None, 5, []])
def test_only_a_label_that_is_there_can_be_cleared(folder: Path, target: object) -> None:
    labels = Labels(session().user("hi").label("good"), folder)

    with unchanged(folder), pytest.raises(NotFound):
        labels.clear(target)


def test_the_label_of_an_entry_that_is_gone_can_be_cleared(folder: Path) -> None:
    labels = Labels(session().user("hi").entry("label", targetId="unknown!", label="lost"), folder)

    labels.clear("unknown!")

    assert labels.all == {}


def test_labels_are_listed_in_the_order_in_which_they_were_set(folder: Path) -> None:
    labels = Labels(session().user("a").user("b").label("second", on="b").label("first", on="a"), folder)

    assert list(labels.all) == ["second", "first"]


def test_a_label_leads_to_its_one_entry(folder: Path) -> None:
    s = session().user("a").label("one").user("b").label("twice").user("c").label("twice")
    opened = Session(s.write(folder))

    assert labelled(opened, "one") == s.id("a")
    assert labelled(opened, "twice") is None
    assert labelled(opened, "unknown") is None
