"""After `pisess undo` of any write, pisess's own or Pi's, the real Pi sees the session as it was before that write."""

from pathlib import Path
from typing import Any

import pytest

from interop.pi import Pi, Pisess, Said, entries, entry_saying, shown_for_model

WRITES = {
    "checkout": ("checkout", "HEAD~2"),
    "checkout of the root": ("checkout", "--root"),
    "branch summary": ("checkout", "HEAD~2", "-m", "the way not taken"),
    "label": ("label", "new", "HEAD~1"),
    "label moved": ("label", "-f", "good", "HEAD~1"),
    "label in the place of another one": ("label", "-f", "better", "good"),
    "label taken away": ("label", "-d", "good"),
    "name": ("name", "another name"),
    "name taken away": ("name", "-d"),
    "omission": ("edit", ":/^third question", "--omit"),
    "replacement": ("edit", ":/^third answer", "-m", "other words"),
    "edit of an edited entry": ("edit", ":/^second question", "-m", "again other words"),
    "edit taken back": ("edit", ":/^second question", "--restore"),
    "compaction": ("compact", "-m", "the story so far", "--keep-recent", "1"),
    "compaction that keeps nothing": ("compact", "-m", "the story so far", "--keep-none"),
}

IN_TURN = (
    "label moved",
    "omission",
    "name",
    "branch summary",
    "label in the place of another one",
    "compaction that keeps nothing",
    "name taken away",
    "checkout of the root",
)


@pytest.fixture
def prepared(pisess: Pisess, session: Path) -> Path:
    """The talk with a label, a name, and an edit that stand before its third turn."""
    third = entry_saying(session, "third question")
    pisess("-s", session, "edit", entry_saying(session, "second question"), "-m", "edited question")
    pisess("-s", session, "label", "good", third)
    pisess("-s", session, "name", "the talk")
    return session


def as_pi_sees_it(pi: Pi, session: Path) -> dict[str, Any]:
    ids = [entry["id"] for entry in entries(session)]
    calls = [["buildSessionContext"], ["getSessionName"], *(["getLabel", entry_id] for entry_id in ids)]
    context, name, *labels = pi.call_session_manager(["open", str(session)], calls)["results"]
    set_labels = {entry_id: label for entry_id, label in zip(ids, labels, strict=True) if label is not None}
    return {"context": context, "name": name, "labels": set_labels}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_of_a_write_by_pisess(pi: Pi, pisess: Pisess, prepared: Path, write: tuple[str, ...]) -> None:
    before = as_pi_sees_it(pi, prepared)
    pisess("-s", prepared, *write)
    assert as_pi_sees_it(pi, prepared) != before

    pisess("-s", prepared, "undo")

    assert as_pi_sees_it(pi, prepared) == before


def test_of_many_writes_one_after_the_other(pi: Pi, pisess: Pisess, prepared: Path) -> None:
    seen = []
    for write in IN_TURN:
        seen.append(as_pi_sees_it(pi, prepared))
        pisess("-s", prepared, *WRITES[write])
    for before in reversed(seen):
        pisess("-s", prepared, "undo")
        assert as_pi_sees_it(pi, prepared) == before


def test_of_a_label_and_a_summary_by_pi(pi: Pi, pisess: Pisess, session: Path) -> None:
    before = as_pi_sees_it(pi, session)
    pi.navigate(session, entry_saying(session, "first answer"), summarize=True, label="back")

    pisess("-s", session, "undo")
    pisess("-s", session, "undo")

    assert as_pi_sees_it(pi, session) == before


def test_of_a_label_by_which_pi_moved_the_leaf(pi: Pi, pisess: Pisess, session: Path) -> None:
    before = as_pi_sees_it(pi, session)
    pi.navigate(session, entry_saying(session, "first answer"), label="back")
    assert as_pi_sees_it(pi, session)["context"] != before["context"]

    pisess("-s", session, "undo")

    assert as_pi_sees_it(pi, session) == before


def test_of_a_compaction_by_pi(pi: Pi, pisess: Pisess, session: Path) -> None:
    before = as_pi_sees_it(pi, session)
    pi.compact(session, keep_recent=1)

    pisess("-s", session, "undo")

    assert as_pi_sees_it(pi, session) == before


def test_and_pi_goes_on_from_there(pi: Pi, pisess: Pisess, session: Path) -> None:
    context = shown_for_model(pisess("-s", session, "show-context", "--llm"))
    pisess("-s", session, "compact", "-m", "the story so far", "--keep-none")
    pisess("-s", session, "checkout", "--root")
    pisess("-s", session, "undo")
    pisess("-s", session, "undo")
    pi.model.answer("new answer")

    turn = pi.say("new question", continue_=True)

    assert turn.sent == [*context, Said("user", "new question")]
