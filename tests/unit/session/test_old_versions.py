import json
from pathlib import Path
from typing import Any

import pytest

from builder import session, talk
from pisess_cli.core.context.projection import build_session_projection
from pisess_cli.core.session.session import Session
from running import unchanged

HEADER = '{"type":"session","id":"s"}'


def opened(folder: Path, *lines: str) -> Session:
    path = folder / "session.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Session(path)


def values(session: Session) -> list[dict[str, Any]]:
    return [json.loads(entry.raw) for entry in session.tree.entries]


def test_each_entry_of_version_1_hangs_from_the_one_before_it(tmp_path: Path) -> None:
    first, second, third = values(opened(tmp_path, HEADER, '{"n":1}', '{"n":2}', '{"n":3}'))

    assert first["parentId"] is None
    assert (second["parentId"], third["parentId"]) == (first["id"], second["id"])


def test_the_same_file_gives_the_same_ids_each_time(tmp_path: Path) -> None:
    path = talk().version(1).write(tmp_path)

    ids = [[entry.id for entry in Session(path).tree.entries] for _ in range(2)]

    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0])


def test_an_entry_keeps_its_id_when_the_file_grows(tmp_path: Path) -> None:
    before = values(opened(tmp_path, HEADER, '{"n":1}'))
    after = values(opened(tmp_path, HEADER, '{"n":1}', '{"n":2}'))

    assert after[0] == before[0]


def test_sessions_with_other_ids_give_other_ids(tmp_path: Path) -> None:
    one = values(opened(tmp_path, HEADER, '{"n":1}'))
    other = values(opened(tmp_path, HEADER.replace('"s"', '"t"'), '{"n":1}'))

    assert one[0]["id"] != other[0]["id"]


def test_the_index_of_the_first_kept_entry_becomes_its_id(tmp_path: Path) -> None:
    entries = values(opened(tmp_path, HEADER, '{"n":1}', '{"n":2}', '{"type":"compaction","firstKeptEntryIndex":2}'))

    assert entries[2]["firstKeptEntryId"] == entries[1]["id"]
    assert "firstKeptEntryIndex" not in entries[2]


def test_the_index_may_be_that_of_the_compaction_itself(tmp_path: Path) -> None:
    [compaction] = values(opened(tmp_path, HEADER, '{"type":"compaction","firstKeptEntryIndex":1}'))

    assert compaction["firstKeptEntryId"] == compaction["id"]


@pytest.mark.parametrize("index", ["0", "3", "-1", "99", "1.5", "1e400"])
def test_an_index_that_names_no_entry_so_far_keeps_nothing(tmp_path: Path, index: str) -> None:
    compaction = f'{{"type":"compaction","firstKeptEntryIndex":{index}}}'

    entries = values(opened(tmp_path, HEADER, '{"n":1}', compaction, '{"n":2}'))

    assert "firstKeptEntryId" not in entries[1]
    assert "firstKeptEntryIndex" not in entries[1]


@pytest.mark.parametrize("index", ['"1"', "null", "true", "[1]"])
def test_an_index_that_is_no_number_stays(tmp_path: Path, index: str) -> None:
    entries = values(opened(tmp_path, HEADER, '{"n":1}', f'{{"type":"compaction","firstKeptEntryIndex":{index}}}'))

    assert entries[1]["firstKeptEntryIndex"] == json.loads(index)


def test_lines_that_are_no_entries_count_for_the_index_if_pi_keeps_them(tmp_path: Path) -> None:
    lines = [HEADER, "5", "null", "{torn", '{"n":1}', '{"type":"compaction","firstKeptEntryIndex":2}']

    entries = [entry for entry in values(opened(tmp_path, *lines)) if isinstance(entry, dict)]

    assert entries[1]["firstKeptEntryId"] == entries[0]["id"]


@pytest.mark.parametrize("version", ["", ',"version":1', ',"version":2'])
def test_hook_messages_become_custom_messages(tmp_path: Path, version: str) -> None:
    header = HEADER.replace("}", version + "}")
    line = '{"type":"message","id":"a","parentId":null,"message":{"x":1.0, "role":"hookMessage"}}'

    [entry] = opened(tmp_path, header, line).tree.entries

    assert entry.role == "custom"
    assert b'{"x":1.0, "role":"custom"}' in entry.raw


def test_version_2_keeps_its_ids(tmp_path: Path) -> None:
    path = talk().version(2).write(tmp_path)

    assert [entry.raw for entry in Session(path).tree.entries] == talk().lines[1:]


def test_what_need_not_change_keeps_its_bytes(tmp_path: Path) -> None:
    line = '{"type":"custom", "n":1.0,"big":12345678901234567890,"e":"\\u0041","2":1,"1":2}'

    [entry] = opened(tmp_path, HEADER, line).tree.entries

    assert entry.raw.startswith(line[:-1].encode())


def test_the_header_says_that_it_is_of_version_3(tmp_path: Path) -> None:
    old = opened(tmp_path, HEADER, '{"n":1}')

    assert old.header.version == 3
    assert old.header.entry.raw == b'{"type":"session","id":"s","version":3}'


def test_reading_an_old_file_leaves_it_as_it_is(tmp_path: Path) -> None:
    path = talk().version(1).write(tmp_path)

    with unchanged(tmp_path):
        assert Session(path).head is not None


def test_the_model_sees_the_same_of_every_version(tmp_path: Path) -> None:
    said = session().user("old").assistant("kept").compact("sum", keep="kept").user("new")
    current = Session(said.write(tmp_path / "3.jsonl"))
    messages = build_session_projection(current.tree.path(current.tree.leaf_id)).messages

    for version in (1, 2):
        old = Session(said.version(version).write(tmp_path / f"{version}.jsonl"))
        assert old.projection(old.leaf).messages == messages


def test_a_version_beyond_ours_is_read_as_it_is(tmp_path: Path) -> None:
    path = talk().version(9).write(tmp_path)

    assert [entry.raw for entry in Session(path).tree.entries] == talk().lines[1:]
