"""The tables of sessions as files: one SQLite database, or a folder of Parquet files (the extra `parquet`)."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pisess_cli.core.errors import PisessError
from pisess_cli.core.format.times import iso, parse_ms
from pisess_cli.core.reports.tables import TABLES, Kind, Row, Rows, Table, TableRow, Value
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.session_file import read_header

_SQLITE_TYPES: dict[Kind, str] = {
    "integer": "INTEGER",
    "real": "REAL",
    "text": "TEXT",
    "time": "TEXT",
    "flag": "INTEGER",
}
_BATCH_ROWS = 20_000
_BATCH_CHARACTERS = 16 * 1024 * 1024


def all_rows(paths: Iterable[Path], tick: Callable[[], object] = lambda: None) -> Iterator[TableRow]:
    """The rows of the sessions among the files, the one that was begun first before the others.

    `tick` is called for each file. What is no session, or cannot be read, is left out.
    """
    started = [(parse_ms(header.value.get("timestamp")), path) for path in paths if (header := read_header(path))]
    rows = Rows()
    for _, path in sorted(started, key=lambda found: (found[0] is None, found[0] or 0)):
        try:
            yield from rows.of(Session(path))
        except PisessError:
            continue  # it has gone meanwhile
        finally:
            tick()


def write_sqlite(path: Path, rows: Iterable[TableRow]) -> None:
    """Writes the rows into the empty file `path` as a database. Times are ISO texts in UTC, flags are 0 and 1.

    Raises `PisessError` when that fails.
    """
    try:
        connection = sqlite3.connect(path)
        try:
            # The file has no name yet that anybody knows, so there is nothing to roll back to.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            for table in TABLES:
                connection.execute(_create_statement(table))
            inserts = {table.name: _insert_statement(table) for table in TABLES}
            for table, values in rows:
                connection.execute(inserts[table.name], _for_sqlite(table, values))
            connection.execute("CREATE INDEX entries_by_id ON entries (id)")
            connection.commit()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise PisessError(f"the database cannot be written: {error} ({path.parent})") from error


def _create_statement(table: Table) -> str:
    columns = [f"{name} {_SQLITE_TYPES[kind]}" for name, kind in table.columns]
    keys = [name for name, _ in table.columns if name in ("session", "position")]
    return f"CREATE TABLE {table.name} ({', '.join(columns)}, PRIMARY KEY ({', '.join(keys)}))"


def _insert_statement(table: Table) -> str:
    return f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(table.columns))})"  # noqa: S608 - names of our own


def _for_sqlite(table: Table, values: Row) -> list[Value]:
    return [_iso(value) if kind == "time" else value for (_, kind), value in zip(table.columns, values, strict=True)]


def _iso(ms: Value) -> str | None:
    try:
        return iso(ms) if isinstance(ms, int | float) else None
    except OverflowError:
        return None


def write_parquet(folder: Path, rows: Iterable[TableRow]) -> None:
    """Writes the rows into a folder, a file `NAME.parquet` for each table. Times are timestamps in UTC.

    Raises `PisessError` when that fails, or pyarrow is not installed.
    """
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    files = {table.name: _ParquetFile(arrow, parquet, folder, table) for table in TABLES}
    try:
        for table, values in rows:
            files[table.name].add(values)
    finally:
        for file in files.values():
            file.close()


def _pyarrow(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise PisessError(
            "parquet needs pyarrow, which is not installed", hint="pip install 'pisess[parquet]'"
        ) from error


class _ParquetFile:
    # Rows are kept until there are enough for a group.
    def __init__(self, arrow: Any, parquet: Any, folder: Path, table: Table) -> None:
        types: dict[Kind, Any] = {
            "integer": arrow.int64(),
            "real": arrow.float64(),
            "text": arrow.string(),
            "time": arrow.timestamp("ms", tz="UTC"),
            "flag": arrow.bool_(),
        }
        self._arrow = arrow
        self._schema = arrow.schema([(name, types[kind]) for name, kind in table.columns])
        self._writer = parquet.ParquetWriter(folder / f"{table.name}.parquet", self._schema, compression="zstd")
        self._rows: list[Row] = []
        self._characters = 0

    def add(self, values: Row) -> None:
        self._rows.append(values)
        self._characters += sum(len(value) for value in values if isinstance(value, str))
        if len(self._rows) >= _BATCH_ROWS or self._characters >= _BATCH_CHARACTERS:
            self._write()

    def _write(self) -> None:
        columns = [
            self._arrow.array(values, field.type)
            for values, field in zip(zip(*self._rows, strict=True), self._schema, strict=True)
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(columns, schema=self._schema))
        self._rows = []
        self._characters = 0

    def close(self) -> None:
        if self._rows:
            self._write()
        self._writer.close()
