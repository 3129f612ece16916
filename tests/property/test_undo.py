"""Whatever writes there were: undone one after the other, each gives back what the session said before it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import hostile
from pisess_cli.core.changes.checkout import move
from pisess_cli.core.changes.compact import append_compaction
from pisess_cli.core.changes.context_edits import append_change, find_editable, new_text, plan_change
from pisess_cli.core.changes.labels import clear_label, set_label
from pisess_cli.core.changes.session_name import clear_name, set_name
from pisess_cli.core.changes.undo import append_undo, plan_undo
from pisess_cli.core.context.compaction import prepare_keeping_none
from pisess_cli.core.errors import NotASession, NotFound, PisessError, Refused
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session
from session_state import State, session_state

Write = Callable[[Appender, Entry], object]


def omit(appender: Appender, entry: Entry) -> object:
    change = plan_change(find_editable(appender.session, entry), None, force=True)
    return change and append_change(appender, change)


def replace(appender: Appender, entry: Entry) -> object:
    editable = find_editable(appender.session, entry)
    change = plan_change(editable, new_text(editable, "other words"))
    return change and append_change(appender, change)


def clear_own_label(appender: Appender, entry: Entry) -> object:
    # Taking a label away and setting it elsewhere looks like moving it: that is undone as one write.
    label = appender.session.tree.labels.get(entry.key)
    return clear_label(appender, entry.id) if label and label.text == f"on {entry.id}" else None


def compact(appender: Appender, _: Entry) -> object:
    preparation = prepare_keeping_none(appender.session.path_to(appender.session.leaf))
    return preparation and append_compaction(appender, preparation, "all so far")


WRITES: list[Write] = [
    move,
    lambda appender, entry: move(appender, None),
    lambda appender, entry: move(appender, entry, summary="left"),
    lambda appender, entry: set_label(appender, "good", entry, force=True),
    lambda appender, entry: set_label(appender, f"on {entry.id}", entry, force=True),
    clear_own_label,
    lambda appender, entry: set_name(appender, str(entry.id)),
    lambda appender, entry: clear_name(appender),
    omit,
    replace,
    compact,
]


@settings(max_examples=60, deadline=None)
@given(hostile.chains, st.lists(st.tuples(st.sampled_from(WRITES), st.integers(0, 20)), max_size=8))
def test_undone_one_by_one(chain: list[dict[str, object]], writes: list[tuple[Write, int]]) -> None:
    # A message ends what can be undone, so that what the writes were is known.
    parent = chain[-1]["id"] if chain else None
    message = {"type": "message", "id": "ffffbeef", "parentId": parent, "message": {"role": "user", "content": "go on"}}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "session.jsonl"
        lines = [hostile.line_of(entry) + b"\n" for entry in [*chain, message]]
        file.write_bytes(hostile.header() + b"".join(lines))
        states = states_after(file, writes)

        while states:
            assert session_state(file) == states.pop()
            if states:
                undo(file)
        assert_nothing_to_undo(file)


@settings(deadline=None)
@given(hostile.files)
def test_whatever_is_in_the_file_an_undo_is_done_or_refused(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "session.jsonl"
        file.write_bytes(data)
        entries = Session(file).tree.entries
        with suppress(NotASession, NotFound, Refused):
            undo(file)
            session_state(file)

            assert len(Session(file).tree.entries) > len(entries)


def states_after(file: Path, writes: list[tuple[Write, int]]) -> list[State]:
    """The states before, between and after the writes; those that are refused or write nothing do not count."""
    states = [session_state(file)]
    for write, number in writes:
        size = file.stat().st_size
        with suppress(PisessError), Appender(file) as appender:
            entries = list(appender.session.newest_first())
            write(appender, entries[number % len(entries)])
        if file.stat().st_size > size:
            states.append(session_state(file))
    return states


def undo(file: Path) -> None:
    with Appender(file) as appender:
        append_undo(appender, plan_undo(appender.session))


def assert_nothing_to_undo(file: Path) -> None:
    try:
        undo(file)
    except NotFound:
        return
    raise AssertionError(f"there was more to undo than was written: {session_state(file)}")
