"""Ways through a file that leave most of it undecoded say what the whole of it says, whatever stands in it."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

import hostile
from builder import session
from pisess_cli.core.format.entries import ENTRY_TYPES
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage import ancestors_from_end, blocks, file_end
from pisess_cli.core.storage.file_end import Tail
from pisess_cli.core.storage.id_index import INDEXED_TYPES, read_id_index
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.tree.tree import Tree, climb

block_sizes = st.sampled_from([64, 300, 10_000])


@given(hostile.files, block_sizes)
def test_the_marks_of_a_file_are_those_of_all_its_entries(data: bytes, block: int) -> None:
    with TemporaryDirectory() as folder, mock.patch.object(blocks, "_BLOCK", block):
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        file = SessionFile(path)
        entries = Whole(file).entries

        found = read_id_index(file)

        if not file.header.is_old:
            ids = {entry.id.encode("utf-8", "surrogatepass") for entry in entries if isinstance(entry.id, str)}
            assert ids <= found.ids
            wanted = [entry.raw for entry in entries if entry.type in INDEXED_TYPES]
            assert [entry.raw for entry in found.entries] == wanted


def test_what_is_written_later_leaves_no_mark(tmp_path: Path) -> None:
    path = session().user("hi").label("early").write(tmp_path)
    file = SessionFile(path)
    with path.open("ab") as end:
        end.write(b'{"type":"label","id":"late0000","targetId":"0001beef","label":"late"}\n')

    found = read_id_index(file)

    assert [entry.value["label"] for entry in found.entries] == ["early"]
    assert b"late0000" not in found.ids


@given(hostile.files, block_sizes)
def test_what_is_nearest_above_an_entry_is_what_the_way_up_meets_first(data: bytes, block: int) -> None:
    with (
        TemporaryDirectory() as folder,
        mock.patch.object(file_end, "_FIRST_BLOCK", block),
        mock.patch.object(file_end, "_LARGEST_BLOCK", block),
        mock.patch.object(blocks, "_BLOCK", block),
        mock.patch.object(ancestors_from_end, "SCAN_BLOCK", block),
    ):
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        session = Session(path)
        if session.file.header.is_old:
            return
        tree = Tree(Whole(session.file).entries)
        for start in session.newest_first():
            above = list(climb(tree.get, start))[1:]
            for type_ in ENTRY_TYPES:
                first = next((entry for entry in above if entry.type == type_), None)

                tail = Tail(session.file)
                next(tail.newest_first())

                found = tail.nearest_above(start, type_)
                assert (found and found.raw) == (first and first.raw)
