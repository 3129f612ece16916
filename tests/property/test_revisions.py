"""What names an entry leads back to it, and a range is what the paths of its ends differ in, whatever is in the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hostile
from pisess_cli.core.errors import NotFound, PisessError
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.search.entry_filter import EntryFilter
from pisess_cli.core.session.reflog import moves
from pisess_cli.core.session.revision_names import Namer
from pisess_cli.core.session.revisions import Range, Resolver, fork_point, range_entries
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import file_end

ALL_HISTORY = EntryFilter((), (), None, None, None, False)


def as_file(chain: list[dict[str, object]]) -> bytes:
    return hostile.header() + b"".join(hostile.line_of(entry) + b"\n" for entry in chain)


orderly_files = hostile.chains.map(as_file)
any_files = hostile.files | orderly_files


@contextmanager
def opened(data: bytes) -> Iterator[Session]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        yield Session(path)


def resolver_of(session: Session) -> Resolver:
    def open_session(selector: str) -> Session:
        raise NotFound(f"no session has that id or name ({selector})")

    return Resolver(session, open_session)


def with_ids(session: Session) -> list[Entry]:
    """The entries that an id can name."""
    return [entry for entry in session.tree.by_id.values() if isinstance(entry.id, str) and entry.id]


@settings(deadline=None)
@given(any_files)
def test_an_id_leads_back_to_its_entry(data: bytes) -> None:
    with opened(data) as session:
        for entry in with_ids(session):
            assert resolver_of(session).point(str(entry.id)).entry is entry


@settings(deadline=None)
@given(any_files, st.integers(4, 8))
def test_a_short_id_leads_back_to_its_entry(data: bytes, least: int) -> None:
    with opened(data) as session:
        resolver = resolver_of(session)
        for entry in with_ids(session):
            assert resolver.point(Namer(resolver).short_id(entry, least)).entry is entry


@settings(deadline=None)
@given(any_files)
def test_a_symbolic_name_leads_back_to_its_entry(data: bytes) -> None:
    with opened(data) as session:
        resolver = resolver_of(session)
        for entry in with_ids(session):
            assert resolver.point(Namer(resolver).symbolic(entry)).entry is entry


@settings(deadline=None)
@given(any_files)
def test_a_label_leads_back_to_its_entry(data: bytes) -> None:
    with opened(data) as session:
        texts = [label.text for label in session.tree.labels.values()]
        for key, label in session.tree.labels.items():
            target = session.tree.get(key)
            if target is not None and isinstance(label.text, str) and texts.count(label.text) == 1:
                assert resolver_of(session).point(f"label:{label.text}").entry is target


@settings(deadline=None)
@given(any_files, st.booleans())
def test_steps_from_head_are_the_history_of_the_path(data: bytes, carets: bool) -> None:
    with opened(data) as session:
        history = list(session.history(session.leaf))
        # Step by step one can go round in a circle; at once the path is cut there.
        assume(not (carets and session.has_cycle))
        for steps, entry in enumerate([*history, None] if history else []):
            revision = "HEAD" + ("^" * steps if carets else f"~{steps}")
            assert resolver_of(session).point(revision).entry is entry


@settings(deadline=None)
@given(any_files)
def test_a_range_shows_the_history_that_its_end_has_and_its_start_has_not(data: bytes) -> None:
    with opened(data) as session:
        places = [None, *with_ids(session)]
        for start, end in product(places, places):
            above_start = {entry.key for entry in session.walk(start)}
            expected = [entry for entry in session.history(end) if entry.key not in above_start]
            assert shown(session, f"{name(start)}..{name(end)}") == expected


@settings(deadline=None)
@given(any_files)
def test_a_symmetric_range_shows_the_history_that_one_end_alone_has(data: bytes) -> None:
    with opened(data) as session:
        places = [None, *with_ids(session)]
        for start, end in product(places, places):
            above = [{entry.key for entry in session.walk(place)} for place in (start, end)]
            found = shown(session, f"{name(start)}...{name(end)}")
            history = {entry.key for place in (start, end) for entry in session.history(place)}
            assert {entry.key for entry in found} == history & (above[0] ^ above[1])
            assert len(found) == len({entry.key for entry in found})


@settings(deadline=None)
@given(orderly_files)
def test_the_fork_point_is_on_both_paths_and_nothing_below_it_is(data: bytes) -> None:
    with opened(data) as session:
        for start, end in product(with_ids(session), repeat=2):
            both = [entry for entry in session.walk(end) if entry in set(session.walk(start))]
            assert fork_point(Range(session, start, end, symmetric=True)) is (both[0] if both else None)


def name(place: Entry | None) -> str:
    return "ROOT" if place is None else str(place.id)


def shown(session: Session, text: str) -> list[Entry]:
    found = resolver_of(session).range(text)
    assert found is not None
    return list(ALL_HISTORY.select(range_entries(found)))


@settings(deadline=None)
@given(any_files)
def test_every_move_of_the_leaf_has_a_number(data: bytes) -> None:
    with opened(data) as session:
        found = list(moves(session))

        for number, move in enumerate(found, 1):
            assert resolver_of(session).point(f"@{{-{number}}}").entry is move.origin
            assert (move.head_before and move.head_before.key) != (move.head_after and move.head_after.key)


REVISIONS = [
    *hostile.IDS,
    *("aaaa", "bbbb", "cccc1", "0001", "nosuch", "good", "label:good", "label:bad~1", "bad^"),
    *("HEAD", "@", "LEAF", "ROOT", "HEAD~1", "HEAD~2", "LEAF^", "aaaa1111~1", "0003beef~2", "ROOT~1"),
    *("-", "@{-1}", "@{-2}", "@{-1}~1", ":/i", ":/nosuch", "HEAD^{user}", "LEAF^{label}", "HEAD^{/i}", "HEAD^{nobody}"),
    *("HEAD~1..HEAD", "aaaa1111...bbbb1111", "..LEAF", "-..HEAD", "nosuch..HEAD"),
]


@settings(max_examples=40, deadline=None)
@given(any_files, st.sampled_from([1, 64, 300, 10_000]))
def test_revisions_name_the_same_from_the_end_and_in_the_whole_file(data: bytes, block: int) -> None:
    with (
        mock.patch.object(file_end, "_FIRST_BLOCK", block),
        mock.patch.object(file_end, "_LARGEST_BLOCK", block * 2),
        mock.patch.object(file_end, "RECENT_BYTES", 500),
        opened(data) as whole,
    ):
        assert whole.tree.entries == whole.whole.entries

        for revision in REVISIONS:
            # A session that was asked once may have read all of its file.
            assert outcome(Session(whole.path), revision) == outcome(whole, revision), revision


def outcome(session: Session, revision: str) -> object:
    resolver = resolver_of(session)
    try:
        found = resolver.range(revision)
        if found is not None:
            return [entry.raw for entry in range_entries(found)]
        entry = resolver.point(revision).entry
    except PisessError as error:
        return type(error), error.message
    return None if entry is None else entry.raw
