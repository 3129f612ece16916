"""What sessions used: grouped, in time, and what they share counted once."""

import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

import hostile
from builder import SessionBuilder, call, session, talk, time_of, tokens_used
from pisess_cli.core.errors import PisessError
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.reports import stats as stats_module
from pisess_cli.core.reports.stats import Row, Stats, all_stats, entry_stats
from pisess_cli.core.reports.usage import UNATTRIBUTED, usage_breakdown
from pisess_cli.core.reports.usage_keys import GROUPINGS, By, Question
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.store.forks import branched_lines, copied_lines
from pisess_cli.view.stats import write_stats
from pisess_cli.view.terminal import Terminal

Write = Callable[[str, SessionBuilder], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, made: SessionBuilder) -> Path:
        return made.write(tmp_path / f"{name}.jsonl")

    return to_file


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets the local zone be another one."""

    def choose(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


def spent(tokens: int = 0, cost: float = 0.0, **fields: object) -> dict[str, object]:
    return {**fields, "usage": tokens_used(tokens, cost)}


def stats(made: SessionBuilder, by: By = "model", **fields: object) -> Stats:
    whole = made.entries
    with TemporaryDirectory() as folder:
        header = Session(made.write(Path(folder))).header
    return entry_stats(whole, header, Question(by, **fields))


def tuples(found: Stats) -> list[tuple[object, float, float]]:
    return [tuple(row) for row in found.rows]


def header_line(number: int, **fields: object) -> dict[str, object]:
    """The header of a fork that was made as the `number`th thing."""
    return {"type": "session", "version": 3, "id": f"fork-{number}", "timestamp": time_of(number), **fields}


def fork(source: Path, to: Path, number: int = 1000) -> Path:
    lines, rest = copied_lines(Session(source), header_line(number))
    tail = rest[0].read(rest[1], rest[0].size) if rest else b""
    to.write_bytes(b"".join(lines) + tail)
    return to


def fork_at(source: Path, words_id: str, to: Path) -> Path:
    opened = Session(source)
    path = opened.path_to(opened.named(words_id))
    to.write_bytes(b"".join(branched_lines(opened.tree, path, header_line(1000))))
    return to


# What usage counts for.


def test_models_are_pis_keys():
    made = session().assistant("a", **spent(5, 0.5)).assistant("b", responseModel="one-2026", **spent(7, 0.25))

    assert tuples(stats(made)) == [("acme/one", 5, 0.5), ("acme/one-2026", 7, 0.25)]


def test_usage_entries_count_for_the_model_that_they_name_and_summaries_for_none():
    made = session().entry("usage", kind="cache_warm", provider="acme", model="two", **spent(3, 0.25))
    made.compact("short", **spent(1, 1.0)).branch_summary("left", **spent(2, 2.0)).result("ok", **spent(4, 4.0))

    assert tuples(stats(made)) == [(UNATTRIBUTED, 7, 7.0), ("acme/two", 3, 0.25)]
    assert tuples(stats(made, "provider")) == [(UNATTRIBUTED, 7, 7.0), ("acme", 3, 0.25)]


def test_roles_are_those_of_messages_and_else_the_types():
    made = session().assistant("a", **spent(1, 1.0)).result("ok", **spent(2, 2.0)).compact("short", **spent(3, 3.0))

    assert tuples(stats(made, "role")) == [("compaction", 3, 3.0), ("toolResult", 2, 2.0), ("assistant", 1, 1.0)]


def test_an_answer_is_divided_among_its_calls():
    made = session().assistant("", call("read"), call("bash"), call("read"), **spent(8, 3.0))

    assert tuples(stats(made, "tool")) == [("read", 6, 2.0), ("bash", 2, 1.0)]


def test_a_result_counts_for_its_tool():
    made = session().result("ok", tool="task", **spent(5, 0.5))

    assert tuples(stats(made, "tool")) == [("task", 5, 0.5)]


def test_what_calls_no_tool_belongs_to_none():
    made = session().assistant("a", **spent(5, 0.5)).compact("short", **spent(1, 0.25))

    assert tuples(stats(made, "tool")) == [(None, 6, 0.75)]


def test_days_are_those_of_the_zone_or_of_utc(zone: Callable[[str], None]):
    zone("Asia/Tokyo")
    made = session().entry("usage", provider="p", model="m", timestamp="2026-05-01T20:00:00.000Z", **spent(1, 0.5))

    assert tuples(stats(made, "day")) == [("2026-05-02", 1, 0.5)]
    assert tuples(stats(made, "day", utc=True)) == [("2026-05-01", 1, 0.5)]


@pytest.mark.parametrize("timestamp", ["yesterday", None, [], 1e300])
def test_a_time_that_is_no_date_is_on_no_day(timestamp: object):
    made = session().entry("usage", provider="p", model="m", timestamp=timestamp, **spent(1, 0.5))

    assert [row.tokens for row in stats(made, "day", utc=True).rows] == [1]


def test_a_session_counts_for_itself_and_for_its_project():
    made = session("mine", "/home/me/app").assistant("a", **spent(5, 0.5))

    assert tuples(stats(made, "session")) == [("mine", 5, 0.5)]
    assert tuples(stats(made, "project")) == [("/home/me/app", 5, 0.5)]
    assert tuples(stats(session(cwd=None).assistant("a", **spent(5, 0.5)), "project")) == [(None, 5, 0.5)]


@pytest.mark.parametrize("by", GROUPINGS)
def test_the_total_is_the_same_whatever_the_rows_are(by: By):
    made = talk().assistant("", call("read"), call("edit"), call("read"), **spent(7, 0.1)).compact("s", **spent(1, 0.2))

    assert stats(made, by)[1:] == stats(made)[1:]


def test_rows_that_used_nothing_are_left_out_and_the_dearest_comes_first():
    made = session()
    for model, cost in (("b", 1.0), ("nothing", 0.0), ("a", 1.0), ("c", 2.0)):
        made.assistant("", model=model, **spent(0, cost))

    assert [row.key for row in stats(made).rows] == ["acme/c", "acme/b", "acme/a"]


def test_only_what_lies_in_time_counts():
    made = session()
    for tokens in (1, 2, 4, 8):
        made.assistant("", **spent(tokens))

    assert stats(made, since=parse_ms(time_of(2)), until=parse_ms(time_of(3))).tokens == 6


def test_what_has_no_time_lies_in_none():
    made = session().assistant("", **spent(1)).entry("usage", timestamp="yesterday", **spent(2))

    assert stats(made, since=0).tokens == 1
    assert stats(made, until=parse_ms(time_of(9))).tokens == 1


# Many sessions.


def test_sessions_add_up(write: Write):
    paths = [
        write("one", session("one", "/a").assistant("x", **spent(1, 1.0))),
        write("two", session("two", "/b").assistant("y", **spent(2, 2.0))),
    ]

    assert all_stats(paths, Question("session")) == Stats([Row("two", 2, 2.0), Row("one", 1, 1.0)], 3, 3.0, 0)


@pytest.mark.parametrize("by", GROUPINGS)
def test_two_forks_of_a_session_change_nothing(write: Write, tmp_path: Path, by: By):
    source = write("source", talk())
    before = all_stats([source], Question(by))

    fork(source, tmp_path / "a.jsonl")
    fork_at(source, talk().id("Renamed."), tmp_path / "z.jsonl")

    assert all_stats(sorted(tmp_path.iterdir()), Question(by)) == before


def test_what_a_fork_shares_is_the_older_sessions_whichever_is_read_first(write: Write, tmp_path: Path):
    source = write("m", session("source", "/old").assistant("x", **spent(1, 1.0)))
    for name in ("a", "z"):
        fork(source, tmp_path / f"{name}.jsonl")

    assert [row.key for row in all_stats(sorted(tmp_path.iterdir()), Question("session")).rows] == ["source"]


def test_what_a_fork_adds_counts(write: Write, tmp_path: Path):
    source = write("source", session("source").assistant("x", **spent(1, 1.0)))
    forked = fork(source, tmp_path / "fork.jsonl")
    added = {"id": "new", "timestamp": time_of(2000), "message": {"role": "assistant", **spent(4, 0.5)}}
    forked.write_bytes(forked.read_bytes() + json.dumps({"type": "message", **added}).encode())

    found = all_stats([forked, source], Question("session"))

    assert tuples(found) == [("source", 1, 1.0), ("fork-1000", 4, 0.5)]


def test_a_fork_that_spells_the_same_entry_otherwise_shares_it(write: Write, tmp_path: Path):
    source = write("source", session().assistant("é", call("read", path="ä"), **spent(1, 1.0)))
    lines = [json.loads(line) for line in source.read_text().splitlines()]
    other = tmp_path / "other.jsonl"
    other.write_text("".join(f"{json.dumps({**line, 'parentId': 'else'})}\n" for line in lines))

    assert all_stats([source, other], Question()).tokens == 1


@pytest.mark.parametrize("version", [1, 2])
def test_forks_of_old_versions_share_their_entries(write: Write, tmp_path: Path, version: int):
    source = write("source", talk().version(version))
    before = all_stats([source], Question())

    fork(source, tmp_path / "fork.jsonl")

    assert before.tokens > 0
    assert all_stats([source, tmp_path / "fork.jsonl"], Question()) == before


@pytest.mark.parametrize(
    "other",
    [
        session("two").assistant("x", **spent(2)),
        session("two").assistant("y", **spent(1)),
        session("two").assistant("x", model="two", **spent(1)),
        session("two").entry("usage", id="else").branch_at(None).assistant("x", **spent(1)),
    ],
    ids=["usage", "words", "model", "id"],
)
def test_entries_that_differ_in_more_than_their_parents_are_not_shared(write: Write, other: SessionBuilder):
    paths = [write("one", session("one").assistant("x", **spent(1))), write("two", other)]

    assert all_stats(paths, Question()).tokens == sum(all_stats([path], Question()).tokens for path in paths)


def test_an_entry_that_a_file_repeats_counts_each_time_but_not_in_its_fork(write: Write, tmp_path: Path):
    made = session().assistant("x", **spent(1))
    source = write("source", made.raw(made.lines[1]))
    forked = fork(source, tmp_path / "fork.jsonl")

    assert all_stats([source], Question()).tokens == 2
    assert all_stats([forked, source], Question()).tokens == 2


def test_what_is_no_session_is_left_out(write: Write, tmp_path: Path):
    good = write("good", talk())
    (tmp_path / "notes.jsonl").write_text('{"type":"message"}\n')
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "folder.jsonl").mkdir()

    paths = [*sorted(tmp_path.iterdir()), tmp_path / "gone.jsonl"]

    assert all_stats(paths, Question()) == all_stats([good], Question())


def test_lines_that_are_no_json_are_skipped_and_counted(write: Write):
    paths = [write("one", talk().raw("nonsense").raw("")), write("old", talk().version(1).raw("{").raw("}"))]

    assert all_stats(paths, Question()).skipped == 3


def test_several_processes_come_to_the_same(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    odd = {"role": "assistant", "content": "\ud83d", "provider": "\ud83d", **spent(3, 0.5)}
    source = write("source", talk().raw(json.dumps({"type": "message", "id": "odd", "message": odd})).raw("nonsense"))
    paths = [fork(source, tmp_path / f"{number}.jsonl", 1000 + number) for number in range(5)]
    alone = all_stats([*paths, source], Question("session"))

    monkeypatch.setattr(stats_module, "process_count", lambda total: 3)

    assert all_stats([*paths, source], Question("session")) == alone


def test_each_file_is_told(write: Write):
    paths = [write("one", talk()), write("two", talk())]
    told: list[None] = []

    all_stats(paths, Question(), lambda: told.append(None))

    assert len(told) == 2


@given(hostile.files)
def test_one_file_comes_to_what_pi_counts(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        found = all_stats([path], Question())
        try:
            whole = Whole(SessionFile(path))
        except PisessError:
            assert found.rows == []
            return

        assert repr(tuples(found)) == repr([tuple(row) for row in usage_breakdown(whole.entries)])
        assert found.skipped == whole.skipped


# On a terminal.


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(found: Stats, by: By, columns: int = 80) -> list[str]:
    screen = Screen()
    terminal = Terminal(stdout=screen, stderr=screen, env={"COLUMNS": str(columns)}, color="never", use_pager=False)
    write_stats(terminal, found, by, as_json=False)
    return screen.getvalue().split("\n")[:-1]


def test_on_a_terminal_numbers_are_grouped_and_line_up_on_the_right():
    assert drawn(Stats([Row("acme/one", 1_234_567, 12.5), Row("b", 8, 0.25)], 1_234_575, 12.75, 0), "model") == [
        "Model        Tokens      Cost",
        "acme/one  1,234,567  $12.5000",
        "b                 8   $0.2500",
        "total     1,234,575  $12.7500",
    ]


def test_days_have_bars_of_their_cost():
    found = Stats([Row("2026-05-02", 1, 4.0), Row("2026-05-01", 9, 2.0), Row(None, 9, 1.0)], 19, 7.0, 0)

    lines = drawn(found, "day")

    assert [line.count("█") for line in lines[1:]] == [9, 18, 36, 0]
    assert lines[1].startswith("(no day)")
    assert [line.count("█") for line in drawn(found, "day", columns=60)[1:]] == [4, 8, 16, 0]


def test_days_that_cost_nothing_have_bars_of_their_tokens():
    found = Stats([Row("2026-05-01", 9, 0), Row("2026-05-02", 18, 0)], 27, 0, 0)

    assert [line.count("█") for line in drawn(found, "day")[1:]] == [18, 36, 0]


def test_numbers_beyond_all_bounds_are_drawn():
    endless = float("inf")

    assert "inf" in drawn(Stats([Row("2026-05-01", endless, endless)], endless, endless, 0), "day")[1]
