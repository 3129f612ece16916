import mmap
import os
from pathlib import Path
from unittest import mock

import pytest

from builder import session, talk
from pisess_cli.core.errors import NotASession, PisessError
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import file_end, session_file
from pisess_cli.core.storage.file_end import Tail
from pisess_cli.core.storage.session_file import SessionFile, read_header
from pisess_cli.core.storage.whole_file import Whole
from running import unchanged

HEADER = b'{"type":"session","version":3,"id":"s"}\n'


def write(folder: Path, data: bytes) -> Path:
    path = folder / "session.jsonl"
    path.write_bytes(data)
    return path


def read(folder: Path, data: bytes) -> Whole:
    return Whole(SessionFile(write(folder, data)))


def ids(entries: list[Entry]) -> list[object]:
    return [entry.id for entry in entries]


# What is a session.


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"hello\nworld\n",
        b"[1,2]\n" + HEADER,
        b"5\n" + HEADER,
        b'{"type":"summary"}\n' + HEADER,
        b'{"type":"session","id":7}\n',
        b"\xef\xbb\xbf" + HEADER,
        b"\xef\xbb\xbf" + HEADER + b'{"type":"message","id":"a"}\n',
        b"\x00" * 5000,
    ],
)
def test_a_file_that_does_not_begin_with_a_header_is_no_session(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, data)

    with pytest.raises(NotASession, match=r"\(.*session\.jsonl\)"):
        SessionFile(path)
    assert read_header(path) is None


@pytest.mark.parametrize("before", [b"\n \n", b"{torn\n", b"null\n0\n", b"\xef\xbb\xbf{}\n", b"\x00\x00\n"])
def test_what_is_no_entry_can_stand_before_the_header(tmp_path: Path, before: bytes) -> None:
    path = write(tmp_path, before + HEADER)
    header = read_header(path)

    assert SessionFile(path).header.id == "s"
    assert header is not None
    assert header.id == "s"


def test_a_header_may_be_longer_than_what_is_looked_at_first(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"type":"session","id":"s","more":"' + b"x" * 100_000 + b'"}\n{"id":"a"}\n')
    header = read_header(path)

    assert SessionFile(path).header.id == "s"
    assert header is not None
    assert header.id == "s"


def test_a_header_further_down_than_a_mebibyte_is_not_looked_for(tmp_path: Path) -> None:
    path = write(tmp_path, b"x" * (session_file.HEADER_SCAN_BYTES + 1) + b"\n" + HEADER)

    assert read_header(path) is None


def test_a_header_needs_no_newline(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER.rstrip())

    assert SessionFile(path).header_end == len(HEADER) - 1
    assert read_header(path) is not None


def test_what_is_not_a_regular_file_is_no_session(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.jsonl")

    for path in (tmp_path, tmp_path / "fifo.jsonl", Path("/dev/null")):
        with pytest.raises(NotASession):
            SessionFile(path)
        assert read_header(path) is None


@pytest.mark.parametrize("name", ["gone.jsonl", "gone/deeper.jsonl", "nul\0byte.jsonl", "a" * 300])
def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(PisessError, match=r"\("):
        SessionFile(tmp_path / name)
    assert read_header(tmp_path / name) is None


def test_a_link_in_a_circle_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "circle.jsonl").symlink_to("circle.jsonl")

    with pytest.raises(PisessError):
        SessionFile(tmp_path / "circle.jsonl")


# Whole.


def test_the_entries_come_in_the_order_of_the_file_without_headers(tmp_path: Path) -> None:
    whole = read(tmp_path, HEADER + b'{"id":"a"}\n{"type":"session","id":"x"}\n{"id":"b"}\n')

    assert ids(whole.entries) == ["a", "b"]
    assert ids(whole.kept) == ["s", "a", "x", "b"]


def test_bad_lines_are_skipped_and_counted_and_blank_ones_are_not(tmp_path: Path) -> None:
    whole = read(tmp_path, HEADER + b'\n \r\n{"id":"a"}\n{torn\nnull\n\x00\x00\n{"id":"b"}')

    assert ids(whole.entries) == ["a", "b"]
    assert whole.skipped == 2


def test_a_line_that_ends_in_a_carriage_return_is_whole(tmp_path: Path) -> None:
    whole = read(tmp_path, HEADER.replace(b"\n", b"\r\n") + b'{"id":"a"}\r\n')

    assert ids(whole.entries) == ["a"]
    assert whole.skipped == 0


def test_separators_that_python_knows_do_not_cut_a_line(tmp_path: Path) -> None:
    path = session().user("one\u2028two\u2029three\u0085four\x1cfive").write(tmp_path)

    assert len(Session(path).whole.entries) == 1


def test_a_last_line_without_newline_counts(tmp_path: Path) -> None:
    path = session().user("hi").user("yes").without_final_newline().write(tmp_path)

    assert len(Session(path).whole.entries) == 2


def test_reading_changes_nothing(tmp_path: Path) -> None:
    files = [talk().without_final_newline(), talk().version(1), talk().version(2), talk().torn()]
    for number, builder in enumerate(files):
        path = builder.write(tmp_path / f"{number}.jsonl")
        os.utime(path, (1000, 1000))

    with unchanged(tmp_path):
        for path in tmp_path.iterdir():
            opened = Session(path)
            assert opened.head is not None
            assert opened.tree.entries


def test_what_is_added_after_opening_is_not_seen(tmp_path: Path) -> None:
    path = session().user("hi").write(tmp_path)
    file = SessionFile(path)
    with path.open("ab") as appending:
        appending.write(b'{"id":"late"}\n')

    assert len(Whole(file).entries) == 1
    assert len(list(Tail(file).newest_first())) == 1


def test_a_file_that_becomes_shorter_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = talk().write(tmp_path)
    file = SessionFile(path)
    os.truncate(path, 100)

    with pytest.raises(PisessError, match="cut short"):
        Whole(file)


# From the end.


def tail_of(folder: Path, data: bytes, block: int) -> Tail:
    with mock.patch.object(file_end, "_FIRST_BLOCK", block):
        return Tail(SessionFile(write(folder, data)))


@pytest.mark.parametrize("block", [1, 10, 37, 1000])
def test_the_newest_entry_comes_first_whatever_the_blocks(tmp_path: Path, block: int) -> None:
    tail = tail_of(tmp_path, HEADER + b'{"id":"a"}\n{"id":"b","x":"' + b"y" * 200 + b'"}\n{"id":"c"}', block)

    assert ids(list(tail.newest_first())) == ["c", "b", "a"]
    assert tail.is_whole


def test_no_more_is_read_than_is_asked_for(tmp_path: Path) -> None:
    lines = b"".join(b'{"id":"%d"}\n' % number for number in range(1000))
    tail = tail_of(tmp_path, HEADER + lines, 100)

    assert next(tail.newest_first()).id == "999"
    assert not tail.is_whole
    found = tail.get("900")
    assert found is not None
    assert not tail.is_whole


def test_of_entries_with_one_id_the_last_counts(tmp_path: Path) -> None:
    tail = tail_of(tmp_path, HEADER + b'{"id":"a","n":1}\n{"id":"b"}\n{"id":"a","n":2}\n', 5)
    list(tail.newest_first())
    found = tail.get("a")

    assert found is not None
    assert found.value["n"] == 2


def test_an_id_that_nobody_has_is_found_out_at_the_start_of_the_file(tmp_path: Path) -> None:
    tail = tail_of(tmp_path, HEADER + b'{"id":"a"}\n', 5)

    assert tail.get("unknown!") is None
    assert tail.is_whole


def test_recent_looks_through_the_end_of_the_file_only(tmp_path: Path) -> None:
    lines = b"".join(b'{"id":"%d"}\n' % number for number in range(1000))
    with mock.patch.object(file_end, "RECENT_BYTES", 500):
        tail = tail_of(tmp_path, HEADER + lines, 100)

        assert tail.recent("999") is not None
        assert tail.recent("0") is None
        assert not tail.is_whole


def test_labels_are_known_of_what_was_met(tmp_path: Path) -> None:
    path = session().user("hi").label("old").label("good", on="hi").user("yes").write(tmp_path)
    tail = Tail(SessionFile(path))
    labels = {entry.id: tail.label_of(entry.key) for entry in tail.newest_first() if entry.type == "message"}

    assert [label.text if label else None for label in labels.values()] == [None, "good"]


def test_a_label_that_was_cleared_is_none(tmp_path: Path) -> None:
    path = session().user("hi").label("good").clear_label("hi").write(tmp_path)
    tail = Tail(SessionFile(path))

    assert [tail.label_of(entry.key) for entry in tail.newest_first()][-1] is None


def test_bad_lines_are_counted_from_the_end_too(tmp_path: Path) -> None:
    tail = tail_of(tmp_path, HEADER + b'{torn\n\n{"id":"a"}\n{torn', 5)
    list(tail.newest_first())

    assert tail.skipped == 2


# Bytes.


@pytest.mark.parametrize(("needle", "found"), [(b'"hi"', True), (b"\xff", False), (b"yes", True)])
def test_a_file_is_looked_through_without_being_read_whole(tmp_path: Path, needle: bytes, found: bool) -> None:
    path = session().user("hi").user("yes").write(tmp_path)

    for block in (len(needle), 7, 1000):
        with mock.patch.object(session_file, "SCAN_BLOCK", max(block, len(needle))):
            assert SessionFile(path).contains(needle) == found


def test_what_lies_across_two_blocks_is_found(tmp_path: Path) -> None:
    file = SessionFile(write(tmp_path, HEADER + b"a" * 100 + b"needle" + b"b" * 100))

    for block in range(6, 40):
        with mock.patch.object(session_file, "SCAN_BLOCK", block):
            assert file.contains(b"needle")


def copied(file: SessionFile, start: int, target: Path) -> bytes:
    """What a copy from there on comes to."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT)
    try:
        file.copy_to(descriptor, start)
    finally:
        os.close(descriptor)
    return target.read_bytes()


def test_the_rest_of_a_file_is_copied_as_it_is(tmp_path: Path) -> None:
    path = talk().torn().write(tmp_path)
    file = SessionFile(path)

    assert copied(file, file.header_end, tmp_path / "copy") == path.read_bytes()[file.header_end :]


@pytest.mark.parametrize("start", [0, 1, 4095, 4096, 4097, 20_000])
def test_a_file_of_several_windows_is_copied_as_it_is(tmp_path: Path, start: int) -> None:
    path = write(tmp_path, HEADER + bytes(range(256)) * 160)
    with mock.patch.object(session_file, "_COPY_WINDOW", mmap.ALLOCATIONGRANULARITY):
        copy = copied(SessionFile(path), start, tmp_path / "copy")

    assert copy == path.read_bytes()[start:]


def test_a_file_that_cannot_be_mapped_is_copied_all_the_same(tmp_path: Path) -> None:
    path = talk().write(tmp_path)
    refused = OSError(19, "No such device")
    with mock.patch("mmap.mmap", side_effect=refused), mock.patch.object(session_file, "SCAN_BLOCK", 50):
        copy = copied(SessionFile(path), 0, tmp_path / "copy")

    assert copy == path.read_bytes()


@pytest.mark.parametrize("left", [0, 5000, 20_000, 40_000])
def test_a_file_that_was_cut_short_meanwhile_is_not_copied_as_if_it_were_whole(tmp_path: Path, left: int) -> None:
    path = write(tmp_path, HEADER + bytes(range(256)) * 160)
    file = SessionFile(path)
    os.truncate(path, left)

    with pytest.raises(PisessError, match="cut short"):
        copied(file, file.header_end, tmp_path / "copy")


@pytest.mark.parametrize("left", [0, 5000, 40_000])
def test_a_file_that_is_cut_short_under_the_map_ends_in_an_error_and_no_signal(tmp_path: Path, left: int) -> None:
    path = write(tmp_path, HEADER + bytes(range(256)) * 160)
    file = SessionFile(path)
    real = os.write

    def cut_and_write(descriptor: int, data: memoryview) -> int:
        os.truncate(path, left)
        return real(descriptor, data)

    with mock.patch.object(session_file.os, "write", cut_and_write), pytest.raises(PisessError, match="cut short"):
        copied(file, file.header_end, tmp_path / "copy")


@pytest.mark.parametrize("left", [0, 5000])
def test_blocks_of_a_file_that_was_cut_short_meanwhile_are_not_all_there_is(tmp_path: Path, left: int) -> None:
    path = write(tmp_path, HEADER + b"a line\n" * 5000)
    file = SessionFile(path)
    os.truncate(path, left)

    with pytest.raises(PisessError, match="cut short"):
        list(file.blocks())
