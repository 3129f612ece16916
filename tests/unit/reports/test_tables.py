import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from builder import SessionBuilder, call, session, time_of, tokens_used
from pisess_cli.core.errors import PisessError
from pisess_cli.core.reports.table_files import all_rows, write_parquet, write_sqlite
from pisess_cli.core.reports.tables import ENTRIES, SESSIONS, USAGE, Rows, Table, TableRow
from pisess_cli.core.session.session import Session

Record = dict[str, Any]


def records(rows: Iterator[TableRow], table: Table) -> list[Record]:
    names = [name for name, _ in table.columns]
    return [dict(zip(names, row.values, strict=True)) for row in rows if row.table is table]


def told(story: SessionBuilder, folder: Path, table: Table) -> list[Record]:
    return records(Rows().of(Session(story.write(folder))), table)


def query(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def story_of_all() -> SessionBuilder:
    return (
        session(parentSession="/old.jsonl")
        .name("it")
        .user("hi")
        .assistant("yes", call("read", path="a"), usage=tokens_used(12, 0.5))
        .result("no", tool="read", isError=True)
        .label("good", on="yes")
        .branch_at("hi")
        .assistant("other", responseModel="two", usage=tokens_used(3))
    )


def test_a_session_is_a_row(tmp_path: Path) -> None:
    [row] = told(story_of_all(), tmp_path, SESSIONS)

    size = (tmp_path / "session.jsonl").stat().st_size
    assert row == {
        "session": 1,
        "id": "01900000-0000-7000-8000-0000000000aa",
        "file": str(tmp_path / "session.jsonl"),
        "cwd": "/home/me/app",
        "name": "it",
        "parent": "/old.jsonl",
        "created": 1_772_359_200_000,
        "entries": 6,
        "bytes": size,
    }


def test_an_entry_is_a_row(tmp_path: Path) -> None:
    story = story_of_all()

    rows = told(story, tmp_path, ENTRIES)

    assert [row["id"] for row in rows] == [value["id"] for value in story.values]
    answer = rows[2]
    assert answer.pop("bytes") > 100
    assert answer == {
        "session": 1,
        "position": 2,
        "id": story.id("yes"),
        "parent": story.id("hi"),
        "type": "message",
        "role": "assistant",
        "timestamp": 1_772_359_203_000,
        "provider": "acme",
        "model": "one",
        "tool": None,
        "failed": False,
        "current": False,
        "copied": False,
        "label": "good",
        "text": "yes",
        "tokens": 5,
    }
    assert (rows[3]["tool"], rows[3]["failed"]) == ("read", True)
    assert [row["current"] for row in rows] == [True, True, False, False, False, True]


def test_usage_is_a_row_counted_as_pi_counts_it(tmp_path: Path) -> None:
    story = story_of_all()

    first, second = told(story, tmp_path, USAGE)

    assert (first["entry"], first["counted_as"], first["tokens"], first["cost"]) == (
        story.id("yes"),
        "acme/one",
        12,
        0.5,
    )
    assert (second["provider"], second["model"], second["input"]) == ("acme", "two", 3)


def test_usage_of_tools_belongs_to_no_model(tmp_path: Path) -> None:
    [row] = told(session().user("hi").result("ok", usage=tokens_used(3)), tmp_path, USAGE)

    assert (row["counted_as"], row["provider"], row["model"]) == ("Tools/summaries", None, None)


def test_some_entries_alone_can_be_told(tmp_path: Path) -> None:
    file = Session(story_of_all().write(tmp_path))

    rows = records(Rows().of(file, file.path_to(file.leaf)), ENTRIES)

    assert [row["text"] for row in rows] == ["it", "hi", "other"]


def test_what_a_fork_copies_is_marked(tmp_path: Path) -> None:
    old = Session(story_of_all().write(tmp_path / "old.jsonl"))
    new = Session(story_of_all().user("new").write(tmp_path / "new.jsonl"))
    rows = Rows()

    first, second = (records(rows.of(file), ENTRIES) for file in (old, new))

    assert [row["copied"] for row in first] == [False] * 6
    assert [row["copied"] for row in second] == [True] * 6 + [False]


def test_an_entry_that_a_file_repeats_is_no_copy(tmp_path: Path) -> None:
    story = session().user("hi")
    story.raw(story.lines[1])

    assert [row["copied"] for row in told(story, tmp_path, ENTRIES)] == [False, False]


def test_sessions_come_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    late = session("late").user("x").write(tmp_path / "a.jsonl")
    early = session("early", timestamp="2020-01-01T00:00:00.000Z").user("x").write(tmp_path / "b.jsonl")
    undated = session("undated", timestamp="?").user("x").write(tmp_path / "c.jsonl")
    (tmp_path / "d.jsonl").write_text("no session")
    done: list[None] = []

    rows = records(all_rows([undated, late, early, tmp_path / "d.jsonl"], lambda: done.append(None)), SESSIONS)

    assert [row["id"] for row in rows] == ["early", "late", "undated"]
    assert len(done) == 3


ODD = (
    session()
    .raw(r'{"type":"message","id":"\ud800","message":{"role":"user","content":"\ud83d\ude00 \ud800"}}')
    .assistant("x", usage={"input": 1e300, "output": 2**70, "cacheRead": "many", "cost": {"total": 1e308}})
    .entry("message", id=5, parentId=[1], timestamp=True, message={"role": {}, "content": 7, "usage": []})
    .entry({"a": 1}, timestamp="+275760-09-13T00:00:00.000Z", message=None)
)


def test_a_database_takes_whatever_a_session_holds(tmp_path: Path) -> None:
    file = Session(ODD.write(tmp_path))

    write_sqlite(tmp_path / "out", Rows().of(file))

    assert query(tmp_path / "out", "SELECT text FROM entries WHERE position = 0") == [("😀 \ufffd",)]
    assert query(tmp_path / "out", "SELECT input, output, cost FROM usage") == [(None, None, 1e308)]
    assert query(tmp_path / "out", "SELECT timestamp FROM entries WHERE position = 1") == [(time_of(1),)]
    assert query(tmp_path / "out", "SELECT count(*) FROM entries") == [(4,)]


def test_a_database_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()

    with pytest.raises(PisessError, match="the database cannot be written"):
        write_sqlite(tmp_path / "out", iter(()))


def test_parquet_has_the_same_rows(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = Session(story_of_all().write(tmp_path))

    write_parquet(tmp_path, Rows().of(file))

    entries = parquet.read_table(tmp_path / "entries.parquet")
    assert entries["text"].to_pylist() == ["it", "hi", "yes", "no", "good", "other"]
    assert str(entries.schema.field("timestamp").type) == "timestamp[ms, tz=UTC]"
    assert parquet.read_table(tmp_path / "usage.parquet")["cost"].to_pylist() == [0.5, 0.0]
    assert parquet.read_table(tmp_path / "sessions.parquet").num_rows == 1


def test_parquet_takes_whatever_a_session_holds(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = Session(ODD.write(tmp_path))

    write_parquet(tmp_path, Rows().of(file))

    assert parquet.read_table(tmp_path / "entries.parquet").num_rows == 4


def test_parquet_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)

    with pytest.raises(PisessError, match="pyarrow") as error:
        write_parquet(tmp_path, iter(()))

    assert error.value.hint == "pip install 'pisess[parquet]'"
