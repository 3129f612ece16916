import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from builder import session, talk, tokens_used
from running import Pisess, unchanged


def query(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


@pytest.fixture
def folder(pisess: Pisess) -> Path:
    """Where exports go; nothing else is there."""
    place = pisess.home / "out"
    place.mkdir()
    return place


@pytest.fixture
def team(pisess: Pisess, folder: Path) -> Path:
    """A directory with two sessions and a fork of one of them, exported as a database."""
    sessions = pisess.home / "sessions"
    sessions.mkdir()
    talk().write(sessions / "talk.jsonl")
    other = session("other", timestamp="2026-04-01T00:00:00.000Z").user("hi")
    other.assistant("", usage=tokens_used(100, 1.5), timestamp="2026-04-01T00:00:00.000Z").result("no", isError=True)
    other.write(sessions / "other.jsonl")
    pisess.ok("--session-dir", sessions, "fork", sessions / "talk.jsonl")
    pisess.ok("--session-dir", sessions, "export", "--all-sessions", "-o", folder / "team.sqlite")
    return sessions


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.md", "# "),
        ("a.markdown", "# "),
        ("a.html", "<!DOCTYPE html>"),
        ("a.HTM", "<!DOC"),
        ("a.jsonl", '{"type":"s'),
    ],
)
def test_the_name_says_the_format(pisess: Pisess, folder: Path, name: str, beginning: str) -> None:
    pisess.use(talk())

    assert pisess.ok("export", "-o", folder / name).line == str(folder / name)

    assert (folder / name).read_text().startswith(beginning)


@pytest.mark.parametrize("arguments", [("-o", "out.txt"), ("-o", "out"), ()])
def test_without_such_a_name_the_format_has_to_be_given(pisess: Pisess, arguments: tuple[str, ...]) -> None:
    pisess.use(talk())

    assert "--format takes markdown, html" in pisess.fail("export", *arguments, code=2)


def test_the_format_that_is_given_counts_before_the_name(pisess: Pisess, folder: Path) -> None:
    pisess.use(talk())

    pisess.ok("export", "--format", "html", "-o", folder / "a.md")

    assert (folder / "a.md").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("arguments", [(), ("-o", "-")])
def test_without_a_file_it_goes_to_stdout(pisess: Pisess, arguments: tuple[str, ...]) -> None:
    pisess.use(talk())

    assert pisess.ok("export", "--format", "markdown", *arguments).lines[0] == "# Where is the parser?"


@pytest.mark.parametrize("format_", ["sqlite", "parquet"])
def test_tables_do_not_go_to_stdout(pisess: Pisess, format_: str) -> None:
    pisess.use(talk())

    assert "cannot go to stdout" in pisess.fail("export", "--format", format_, code=2)


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.jsonl", "a.sqlite"])
def test_reading_changes_nothing_and_the_file_is_private(pisess: Pisess, folder: Path, name: str) -> None:
    source = pisess.use(talk())

    with unchanged(source.parent / "project"):
        pisess.ok("export", "-o", folder / name)

    assert source.read_bytes() == talk().data
    assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert list(folder.iterdir()) == [folder / name]


def test_a_file_that_exists_needs_force(pisess: Pisess, folder: Path) -> None:
    pisess.use(talk())
    (folder / "a.md").write_text("mine")

    assert "the file exists" in pisess.fail("export", "-o", folder / "a.md")
    assert (folder / "a.md").read_text() == "mine"
    pisess.ok("export", "-o", folder / "a.md", "-f")

    assert (folder / "a.md").read_text().startswith("# Where")


@pytest.mark.parametrize("format_", ["markdown", "html", "jsonl", "sqlite"])
def test_a_session_is_never_overwritten_by_its_own_export(pisess: Pisess, format_: str) -> None:
    source = pisess.use(talk())

    assert "a session is not overwritten" in pisess.fail("export", "--format", format_, "-o", source, "-f")

    assert source.read_bytes() == talk().data


def test_a_file_is_seen_from_the_directory_of_c(pisess: Pisess, folder: Path) -> None:
    pisess.use(talk())

    pisess.ok("-C", folder, "export", "-o", "a.md")

    assert (folder / "a.md").exists()


@pytest.mark.parametrize(
    ("format_", "arguments", "has_other"),
    [
        ("markdown", (), False),
        ("markdown", ("--all",), True),
        ("html", (), True),
        ("html", ("HEAD",), False),
        ("html", ("HEAD", "--all"), True),
        ("jsonl", (), False),
        ("jsonl", ("--all",), True),
    ],
)
def test_how_much_of_a_session_it_is(pisess: Pisess, format_: str, arguments: tuple[str, ...], has_other: bool) -> None:
    pisess.use(talk())

    out = pisess.ok("export", "--format", format_, *arguments).out

    assert "Only rename it." in out
    assert ("Rewrite it." in out) is has_other


def test_a_revision_names_the_end_of_the_branch(pisess: Pisess) -> None:
    pisess.use(talk())

    out = pisess.ok("export", "found", "--format", "markdown").out

    assert "In src/parser.py." in out
    assert "Only rename it." not in out


def test_a_revision_can_be_of_another_session(pisess: Pisess, folder: Path) -> None:
    pisess.use(talk())
    session().user("elsewhere").write(folder / "other.jsonl")

    assert "elsewhere" in pisess.ok("export", f"{folder / 'other.jsonl'}:HEAD", "--format", "markdown").out


def test_before_the_first_entry_is_nothing_to_export(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "nothing to export" in pisess.fail("export", "ROOT", "--format", "markdown")


@pytest.mark.parametrize("format_", ["markdown", "html"])
def test_bookkeeping_is_shown_when_it_is_asked_for(pisess: Pisess, format_: str) -> None:
    pisess.use(talk())

    assert "Be brief." not in pisess.ok("export", "--format", format_).out
    assert "Be brief." in pisess.ok("export", "--format", format_, "--full").out


def test_a_path_is_a_session_that_every_command_reads(pisess: Pisess, folder: Path) -> None:
    pisess.use(talk())
    pisess.ok("export", "found", "-o", folder / "path.jsonl")

    pisess.use(folder / "path.jsonl")

    assert pisess.ok("show", "--raw").line == "In src/parser.py."
    assert [json.loads(line)["label"] for line in pisess.ok("label", "--json").lines] == ["found"]
    pisess.ok("fsck")


def test_the_whole_session_is_copied_byte_for_byte(pisess: Pisess) -> None:
    story = session().user("hi").raw(b'{"type":"custom","id":"deadbeef","parentId":null,"n":1.0}').raw("no JSON")
    pisess.use(story.without_final_newline())

    assert pisess.ok("export", "--all", "--format", "jsonl").out == story.data.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--all-sessions", "--format", "html"),
        ("HEAD", "--all-sessions", "-o", "a.sqlite"),
        ("HEAD", "--all", "--format", "jsonl"),
    ],
)
def test_what_makes_no_sense_is_refused(pisess: Pisess, arguments: tuple[str, ...]) -> None:
    pisess.use(talk())

    pisess.fail("export", *arguments, code=2)


def test_one_session_as_tables_has_all_branches_or_the_path_to_a_revision(pisess: Pisess, folder: Path) -> None:
    pisess.use(talk())

    pisess.ok("export", "-o", folder / "all.sqlite")
    pisess.ok("export", "found", "-o", folder / "some.db")

    assert query(folder / "all.sqlite", "SELECT count(*) FROM entries") == [(12,)]
    assert query(folder / "some.db", "SELECT max(text) FROM entries WHERE role = 'assistant'") == [("Looking.",)]


def test_tables_of_all_sessions_cost_what_stats_says(pisess: Pisess, folder: Path, team: Path) -> None:
    total = json.loads(pisess.ok("--session-dir", team, "stats", "--all", "--json").line)["total"]

    [(tokens, cost)] = query(folder / "team.sqlite", "SELECT sum(tokens), sum(cost) FROM usage WHERE NOT copied")

    assert (tokens, round(cost, 9)) == (total["tokens"], round(total["cost"], 9))
    assert query(folder / "team.sqlite", "SELECT count(*) FROM sessions") == [(3,)]


def in_the_readme(question: str) -> str:
    """The query that the README has below a question."""
    text = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")
    return text.split(f"\n{question}\n\n```sql\n")[1].split("```")[0]


def test_what_each_model_cost_in_each_month_can_be_asked(folder: Path, team: Path) -> None:
    assert query(folder / "team.sqlite", in_the_readme("What did each model cost in each month?")) == [
        ("2026-03", "acme/one", 2800, 1.53)
    ]


def test_which_tools_fail_can_be_asked(folder: Path, team: Path) -> None:
    assert query(folder / "team.sqlite", in_the_readme("Which tools fail?")) == [("bash", 1, 1), ("read", 1, 0)]


def test_parquet_is_a_folder_with_a_file_for_each_table(pisess: Pisess, folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pisess.use(talk())

    assert pisess.ok("export", "-o", folder / "a.parquet").line == str(folder / "a.parquet")

    files = sorted((folder / "a.parquet").iterdir())
    assert [file.name for file in files] == ["entries.parquet", "sessions.parquet", "usage.parquet"]
    assert parquet.read_table(files[0]).num_rows == 12


def colored_lines(markdown: str) -> Iterator[str]:
    return (line for line in markdown.split("\n") if re.search("\x1b|\u202e", line))


@pytest.mark.parametrize("format_", ["markdown", "html"])
def test_what_steers_a_terminal_is_spelled_out(pisess: Pisess, format_: str) -> None:
    pisess.use(session().user("\x1b[31mred\u202e").result("\x1b]0;title\x07"))

    out = pisess.ok("export", "--format", format_).out

    assert list(colored_lines(out)) == []
    assert "␛[31mred" in out


def test_lines_that_are_no_json_are_told_of(pisess: Pisess) -> None:
    pisess.use(session().user("hi").raw("no JSON"))

    assert "1 line is no JSON" in pisess.ok("export", "--format", "markdown").err
