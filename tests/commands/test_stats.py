import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder import SessionBuilder, call, session, talk, tokens_used
from running import Pisess, unchanged


def spent(tokens: int, cost: float = 0.0) -> dict[str, object]:
    return {"usage": tokens_used(tokens, cost)}


def two_branches() -> SessionBuilder:
    made = session("mine", "/home/me/app").user("hi").assistant("yes", **spent(1000, 0.5))
    made.user("a").assistant("slow", call("bash"), **spent(200, 0.25)).branch_at("yes")
    return made.user("b").assistant("fast", model="two", **spent(30, 0.125))


@pytest.fixture
def sessions(pisess: Pisess) -> Path:
    """A session directory that the runs look into."""
    directory = pisess.home / "sessions"
    directory.mkdir()
    pisess.env["PISESS_SESSION_DIR"] = str(directory)
    return directory


@pytest.fixture
def tokyo(pisess: Pisess, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The local zone is nine hours ahead of UTC."""
    pisess.env["TZ"] = "Asia/Tokyo"
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_each_model_has_a_line_and_everything_has_the_last(pisess: Pisess) -> None:
    pisess.use(two_branches())

    assert pisess.ok("stats").lines == ["acme/one\t1200\t0.7500", "acme/two\t30\t0.1250", "total\t1230\t0.8750"]


def test_reading_writes_nothing(pisess: Pisess, sessions: Path) -> None:
    pisess.use(talk().version(1).without_final_newline().write(sessions / "one.jsonl"))

    with unchanged(pisess.home):
        pisess.ok("stats")
        pisess.ok("stats", "--all")


def test_a_branch_is_counted_alone(pisess: Pisess) -> None:
    made = two_branches()
    pisess.use(made)

    assert pisess.ok("stats", "--branch").lines[-1] == "total\t1030\t0.6250"
    assert pisess.ok("stats", "--branch", made.id("slow")).lines[-1] == "total\t1200\t0.7500"
    assert pisess.ok("stats", "--branch", "ROOT").lines == ["total\t0\t0.0000"]


def test_json_is_one_object_with_rows_and_the_total(pisess: Pisess) -> None:
    pisess.use(two_branches())

    assert json.loads(pisess.ok("stats", "--by", "tool", "--json").line) == {
        "rows": [{"tool": None, "tokens": 1030, "cost": 0.625}, {"tool": "bash", "tokens": 200, "cost": 0.25}],
        "total": {"tokens": 1230, "cost": 0.875},
    }


@pytest.mark.parametrize(
    ("by", "key"),
    [
        ("model", "acme/one"),
        ("provider", "acme"),
        ("role", "assistant"),
        ("tool", None),
        ("day", "2026-03-01"),
        ("project", "/home/me/app"),
        ("session", "mine"),
    ],
)
def test_rows_are_named_by_what_was_asked_for(pisess: Pisess, by: str, key: str | None) -> None:
    pisess.use(session("mine", "/home/me/app").assistant("yes", **spent(5, 0.5)))

    found = json.loads(pisess.ok("stats", "--by", by, "--json").line)

    assert found["rows"] == [{by: key, "tokens": 5, "cost": 0.5}]


def test_all_sessions_count_and_what_forks_share_counts_once(pisess: Pisess, sessions: Path) -> None:
    made = two_branches()
    source = made.write(sessions / "source.jsonl")
    session("other", "/b").assistant("yes", **spent(7, 0.5)).write(sessions / "other.jsonl")
    before = pisess.ok("stats", "--all", "--json").out
    pisess.use(source)

    pisess.ok("fork")
    pisess.ok("fork", "--at", made.id("fast"))

    assert json.loads(before)["total"] == {"tokens": 1237, "cost": 1.375}
    assert pisess.ok("stats", "--all", "--json").out == before
    assert len(list(sessions.rglob("*.jsonl"))) == 4


def test_days_come_in_their_order_and_in_json_the_dearest_first(pisess: Pisess) -> None:
    made = session()
    for day, cost in ((3, 1.0), (1, 2.0), (2, 3.0)):
        made.entry("usage", provider="p", model="m", timestamp=f"2026-05-0{day}T12:00:00.000Z", **spent(1, cost))
    pisess.use(made)

    text = pisess.ok("stats", "--by", "day").lines
    rows = json.loads(pisess.ok("stats", "--by", "day", "--json").line)["rows"]

    assert [line.split("\t")[0] for line in text] == ["2026-05-01", "2026-05-02", "2026-05-03", "total"]
    assert [row["day"] for row in rows] == ["2026-05-02", "2026-05-01", "2026-05-03"]


def test_days_are_local_unless_utc_is_asked_for(pisess: Pisess, tokyo: None) -> None:
    late = {"timestamp": "2026-05-01T20:00:00.000Z"}
    pisess.use(session().entry("usage", provider="p", model="m", **late, **spent(1, 0.5)))

    assert pisess.ok("stats", "--by", "day").lines[0] == "2026-05-02\t1\t0.5000"
    assert pisess.ok("stats", "--by", "day", "--utc").lines[0] == "2026-05-01\t1\t0.5000"


@pytest.mark.parametrize(
    ("options", "tokens"),
    [
        (["--since", "2026-05-02"], 6),
        (["--until", "2026-05-02"], 3),
        (["--since", "2026-05-02", "--until", "2026-05-02"], 2),
    ],
)
def test_only_what_lies_in_time_counts(pisess: Pisess, sessions: Path, options: list[str], tokens: int) -> None:
    made = session()
    for day, count in ((1, 1), (2, 2), (3, 4)):
        made.entry("usage", provider="p", model="m", timestamp=f"2026-05-0{day}T12:00:00.000Z", **spent(count))
    pisess.use(made.write(sessions / "one.jsonl"))

    for all_or_one in ([], ["--all"]):
        assert pisess.ok("stats", *all_or_one, *options).lines[-1] == f"total\t{tokens}\t0.0000"


def test_without_sessions_nothing_was_used(pisess: Pisess, sessions: Path) -> None:
    assert pisess.ok("stats", "--all").lines == ["total\t0\t0.0000"]


def test_skipped_lines_are_told_once(pisess: Pisess, sessions: Path) -> None:
    talk().raw("nonsense").write(sessions / "one.jsonl")
    pisess.use(talk().raw("nonsense").raw("{").write(sessions / "two.jsonl"))

    assert pisess.ok("stats", "--all").err == "3 lines are no JSON and skipped; pisess fsck tells more\n"
    assert pisess.ok("stats").err.startswith("2 lines are no JSON and skipped; pisess fsck tells more (")
    assert pisess.ok("stats", "--all", "-q").err == ""


def test_all_sessions_have_no_branch(pisess: Pisess) -> None:
    pisess.use(talk())

    assert "--all and --branch" in pisess.fail("stats", "--all", "--branch", code=2)


def test_what_a_session_says_does_not_steer_the_terminal(pisess: Pisess) -> None:
    pisess.use(session().assistant("a", model="\x1b[31mred\nline", **spent(1, 0.5)))

    assert pisess.ok("stats").lines[0] == "acme/␛[31mred␊line\t1\t0.5000"
