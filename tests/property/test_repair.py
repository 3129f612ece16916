"""Whatever is in a file: it can be checked and repaired, and the copy has no errors and holds every sound line."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

import hostile
from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.fsck import check
from pisess_cli.core.copies.repair import Repair
from pisess_cli.core.errors import NotASession


def scan_of(data: bytes, folder: str, name: str = "session.jsonl") -> FileScan:
    path = Path(folder) / name
    path.write_bytes(data)
    return FileScan(path)


def repaired(scan: FileScan) -> bytes:
    return b"".join(Repair(scan).lines())


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A file that parts were cut from, doubled and swapped in, wherever a line ends."""
    data = draw(hostile.files)
    for _ in range(draw(st.integers(0, 4))):
        start, end, place = (draw(st.integers(0, len(data))) for _ in range(3))
        part = data[min(start, end) : max(start, end)]
        data = data[:start] + data[end:] if draw(st.booleans()) else data[:place] + part + data[place:]
    return data


@given(damaged_files())
def test_a_repaired_copy_has_no_errors(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        try:
            scan = scan_of(data, folder)
        except NotASession:
            return
        copy = repaired(scan)

        assert [f for f in check(scan_of(copy, folder, "copy.jsonl")) if f.severity == "error"] == []


@given(damaged_files())
def test_what_has_no_errors_is_repaired_to_itself(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        try:
            copy = repaired(scan_of(data, folder))
        except NotASession:
            return
        again = Repair(scan_of(copy, folder, "copy.jsonl"))

        assert again.actions == []
        assert b"".join(again.lines()) == copy


@given(damaged_files())
def test_every_line_that_nothing_is_done_about_is_in_the_copy(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        try:
            scan = scan_of(data, folder)
        except NotASession:
            return
        if scan.header.is_old:
            return
        repair = Repair(scan)
        touched = {action.line for action in repair.actions if action.what != "moved to the start"}

        kept = Counter(data[line.start : line.end] for line in scan.lines if line.number not in touched)
        assert kept <= Counter(b"".join(repair.lines()).split(b"\n"))


@given(damaged_files())
def test_errors_are_what_a_repair_does_something_about(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        try:
            scan = scan_of(data, folder)
        except NotASession:
            return
        errors = [finding for finding in check(scan) if finding.severity == "error"]

        assert not errors or Repair(scan).actions
