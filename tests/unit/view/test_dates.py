import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pisess_cli.core.errors import UsageFault
from pisess_cli.core.format.javascript import UNDEFINED, Maybe
from pisess_cli.core.format.times import iso, parse_ms
from pisess_cli.view.dates import date_format, parse_when, relative

BERLIN = ZoneInfo("Europe/Berlin")
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> float:
    """A wall clock's time in Berlin, in milliseconds."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp() * 1000


NOW = at("2026-03-31T12:00:00")


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (0, "0 seconds ago"),
        (1 * SECOND, "1 second ago"),
        (89 * SECOND, "89 seconds ago"),
        (90 * SECOND, "2 minutes ago"),
        (89 * MINUTE, "89 minutes ago"),
        (3 * HOUR, "3 hours ago"),
        (35 * HOUR, "35 hours ago"),
        (36 * HOUR, "2 days ago"),
        (13 * DAY, "13 days ago"),
        (14 * DAY, "2 weeks ago"),
        (69 * DAY, "10 weeks ago"),
        (90 * DAY, "3 months ago"),
        (365 * DAY, "12 months ago"),
        (3 * 365 * DAY, "3 years ago"),
        (-3 * HOUR, "in 3 hours"),
        (8.64e15, "273973 years ago"),
    ],
)
def test_a_relative_date_counts_in_the_unit_that_people_would(age: float, shown: str) -> None:
    assert relative(NOW - age, NOW) == shown


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("iso", "2026-03-01 11:00:01 +0100"),
        ("unix", "1772359201"),
        ("relative", "30 days ago"),
        ("format:%d.%m.%Y %H:%M", "01.03.2026 11:00"),
        ("format:%Y年", "2026年"),
        ("format:", ""),
    ],
)
def test_each_date_style(style: str, shown: str) -> None:
    show = date_format(style, now_ms=1772359201_678 + 30 * DAY)

    assert show(1772359201_678.0) == shown.replace("30 days", "4 weeks")


@pytest.mark.parametrize("style", ["iso", "unix", "relative", "format:%Y"])
def test_what_is_no_date_is_a_question_mark(style: str) -> None:
    assert date_format(style)(None) == "?"


@pytest.mark.parametrize("style", ["iso", "unix", "relative", "format:%Y %y %Q %", "format:\ud800", "format:\0"])
@pytest.mark.parametrize("ms", [8.64e15, -8.64e15, 0.0, -0.5])
def test_no_date_and_no_pattern_fails(style: str, ms: float) -> None:
    assert isinstance(date_format(style)(ms), str)


@pytest.mark.parametrize("style", ["", "ISO", "format", "local", "iso:"])
def test_an_unknown_date_style_is_refused_with_the_known_ones(style: str) -> None:
    with pytest.raises(UsageFault) as refused:
        date_format(style)

    assert refused.value.message == f"no such date style ({style})"
    assert "relative, iso, unix" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("now", "2026-03-31T12:00:00"),
        ("today", "2026-03-31T00:00:00"),
        ("yesterday", "2026-03-30T00:00:00"),
        (" Yesterday ", "2026-03-30T00:00:00"),
        ("2026-03-01", "2026-03-01T00:00:00"),
        ("20260301", "2026-03-01T00:00:00"),
        ("2026-03-01 10:30", "2026-03-01T10:30:00"),
        ("2026-03-01T10:30:15", "2026-03-01T10:30:15"),
        ("2026-03-01T09:30:15Z", "2026-03-01T10:30:15"),
        ("2026-03-01t09:30:15.678z", "2026-03-01T10:30:15.678"),
        ("2026-03-01T10:30+03:00", "2026-03-01T08:30:00"),
        ("10:30", "2026-03-31T10:30:00"),
        ("3h", "2026-03-31T09:00:00"),
        ("3 hours ago", "2026-03-31T09:00:00"),
        ("an hour ago", "2026-03-31T11:00:00"),
        ("90min", "2026-03-31T10:30:00"),
        ("30s", "2026-03-31T11:59:30"),
        ("2 days ago", "2026-03-29T12:00:00"),
        ("2.days.ago", "2026-03-29T12:00:00"),
        ("3d", "2026-03-28T12:00:00"),
        ("2 weeks", "2026-03-17T12:00:00"),
        ("a week ago", "2026-03-24T12:00:00"),
        ("1 month ago", "2026-02-28T12:00:00"),
        ("3 months ago", "2025-12-31T12:00:00"),
        ("1y", "2025-03-31T12:00:00"),
        ("@0", "1970-01-01T01:00:00"),
        ("1772359201", "2026-03-01T11:00:01"),
        ("1772359201678", "2026-03-01T11:00:01.678"),
    ],
)
def test_a_date_as_people_write_it(words: str, meant: str) -> None:
    assert parse_when(words, now_ms=NOW) == at(meant)


@pytest.mark.parametrize(
    ("words", "next_day"),
    [("2026-03-01", "2026-03-02"), ("today", "2026-04-01"), ("yesterday", "2026-03-31"), ("2026-03-29", "2026-03-30")],
)
def test_until_a_day_has_the_whole_day_in_it(words: str, next_day: str) -> None:
    assert parse_when(words, end_of_day=True, now_ms=NOW) == at(next_day) - 1


def test_until_a_time_is_that_time() -> None:
    assert parse_when("2026-03-01 10:30", end_of_day=True, now_ms=NOW) == at("2026-03-01 10:30")


def test_an_hour_is_an_hour_when_clocks_are_set_forward() -> None:
    just_after = at("2026-03-29T03:30:00")

    assert just_after - parse_when("1 hour ago", now_ms=just_after) == timedelta(hours=1) / timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "soon",
        "2026-13-01",
        "2026-02-30",
        "3 fortnights ago",
        "5 april",
        "10:99",
        "-3h",
        "99999999 years ago",
        "9" * 400,
        "9" * 5000,
        "0001-01-01",
        "٣h",
        "\ud800",
        "a",
        "ago",
    ],
)
def test_what_is_no_date_is_refused_by_name(words: str) -> None:
    with pytest.raises(UsageFault) as refused:
        parse_when(words, now_ms=NOW)

    assert refused.value.message == f"not a date ({words})"
    assert refused.value.hint


def test_the_last_day_of_all_has_no_end() -> None:
    with pytest.raises(UsageFault):
        parse_when("9999-12-31", end_of_day=True, now_ms=NOW)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Monrovia"])
def test_an_iso_date_is_that_of_the_systems_clock(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    show = date_format("iso")

    for second in (*range(1_774_742_000, 1_774_752_000, 37), *range(-90_000, 90_000, 311), -5_000_000_000):
        expected = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(second))
        assert show(second * 1000 + 999) == expected
        assert show.of(iso(second * 1000 + 999)) == expected


@pytest.mark.parametrize("style", ["iso", "relative", "unix", "format:%H:%M"])
@pytest.mark.parametrize(
    "timestamp",
    [
        "2026-03-29T01:59:59.999Z",
        "2026-02-30T10:00:00.000Z",
        "2026-02-28T24:00:00.000Z",
        "2026-02-28T10:00:60.000Z",
        "2026-02-28T10:60:00.000Z",
        "2026-13-28T10:00:00.000Z",
        "2026-02-28T10:00:00.000z",
        "2026-02-28T10:00:00+02:00",
        "2026-02-28",
        "0000-01-01T00:00:00.000Z",
        "2026-02-28T10:00:0\u0660.000Z",
        "yesterday",
        "",
        None,
        UNDEFINED,
        0,
        1_772_359_201_678,
        1e300,
        ["2026-02-28"],
    ],
)
def test_a_timestamp_is_shown_as_the_time_that_it_says(style: str, timestamp: Maybe) -> None:
    show = date_format(style, now_ms=NOW)

    assert show.of(timestamp) == show(parse_ms(timestamp))
