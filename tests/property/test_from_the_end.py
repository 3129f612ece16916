"""A session read from its end says what it says when it is read whole, whatever stands in the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

import hostile
from pisess_cli.core.format.entries import Entry, Key, map_key
from pisess_cli.core.format.javascript import JsonValue
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import file_end

block_sizes = st.sampled_from([1, 64, 300, 10_000])


@contextmanager
def two_readings(data: bytes, block: int) -> Iterator[tuple[Session, Session]]:
    """The same file twice: to be read from its end in blocks of that size, and read whole already."""
    with (
        TemporaryDirectory() as folder,
        mock.patch.object(file_end, "_FIRST_BLOCK", block),
        mock.patch.object(file_end, "_LARGEST_BLOCK", block * 2),
    ):
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        tail, whole = Session(path), Session(path)
        assert whole.tree.entries == whole.whole.entries
        yield tail, whole


def nameable(session: Session) -> list[JsonValue]:
    """The ids that something else can name: a list is another one each time."""
    return [entry.id for entry in session.tree.entries if isinstance(entry.id, str | int | float) and entry.id]


def raw(entry: Entry | None) -> bytes | None:
    return None if entry is None else entry.raw


@given(hostile.files, block_sizes)
def test_the_same_entries_come_newest_first(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        assert list(map(raw, tail.newest_first())) == list(map(raw, whole.newest_first()))
        assert tail.skipped == whole.skipped


@given(hostile.files, block_sizes)
def test_leaf_and_head_are_the_same(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        assert raw(tail.leaf) == raw(whole.leaf)
        assert raw(tail.head) == raw(whole.head)


@given(hostile.files, block_sizes)
def test_an_id_names_the_same_entry(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        names: list[JsonValue] = [*hostile.IDS, "", 1, 0, True, None, "unknown!"]

        assert [raw(tail.get(name)) for name in names] == [raw(whole.get(name)) for name in names]


@given(hostile.files, block_sizes)
def test_the_way_up_from_every_entry_is_the_same(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        ways = [[list(map(raw, one.walk(entry))) for entry in one.newest_first()] for one in (tail, whole)]

        assert ways[0] == ways[1]
        assert tail.has_cycle == whole.has_cycle


@given(hostile.files, block_sizes)
def test_the_way_up_is_the_path_of_the_tree(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        for name in nameable(whole):
            assert list(map(raw, tail.path_to(tail.get(name)))) == list(map(raw, whole.tree.path(name)))


@given(hostile.files, block_sizes)
def test_the_projection_of_every_entry_is_the_same(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        assert tail.projection(tail.leaf).as_json() == whole.projection(whole.leaf).as_json()
        for name in nameable(whole):
            assert tail.projection(tail.get(name)).as_json() == whole.projection(whole.get(name)).as_json()


def labelled_too_early(session: Session) -> set[Key]:
    """Entries that a label names before they, or another entry with their id, are written: no one does that."""
    too_early: set[Key] = set()
    named: set[Key] = set()
    for entry in session.tree.entries:
        if map_key(entry.id) in named:
            too_early.add(map_key(entry.id))
        if entry.type == "label":
            named.add(map_key(entry.target_id))
    return too_early


@given(hostile.files, block_sizes)
def test_the_label_of_every_entry_is_the_same(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        too_early = labelled_too_early(whole)

        for entry in tail.newest_first():
            if map_key(entry.id) not in too_early:
                assert tail.label_of(entry) == whole.label_of(entry)


@given(hostile.files, block_sizes, st.integers(0, 5))
def test_what_was_read_from_the_end_holds_when_the_rest_is_read_too(data: bytes, block: int, count: int) -> None:
    with two_readings(data, block) as (tail, whole):
        early = list(islice(tail.newest_first(), count))
        same = list(islice(whole.newest_first(), count))
        assert len(tail.tree.entries) == len(whole.tree.entries)

        for one, other in zip(early, same, strict=True):
            assert list(map(raw, tail.walk(one))) == list(map(raw, whole.walk(other)))
            if not isinstance(one.id, str):
                continue
            assert tail.projection(one).as_json() == whole.projection(other).as_json()
            assert tail.label_of(one) == whole.label_of(other)
            assert tail.is_head(one) == whole.is_head(other)


@settings(max_examples=25)
@given(hostile.files, block_sizes)
def test_reading_ends_at_what_was_there_when_the_session_was_opened(data: bytes, block: int) -> None:
    with two_readings(data, block) as (tail, whole):
        with tail.path.open("ab") as file:
            file.write(b'\n{"type":"message","id":"late0000","parentId":null}\n')

        assert raw(tail.leaf) == raw(whole.leaf)
