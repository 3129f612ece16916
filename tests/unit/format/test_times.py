import time

import pytest

from pisess_cli.core.format.times import iso, now_ms, parse_ms

NOON_MS = 1_767_355_200_000  # 2026-01-02T12:00:00Z


def test_a_time_is_written_with_milliseconds_in_utc() -> None:
    assert iso(NOON_MS + 5) == "2026-01-02T12:00:00.005Z"
    assert iso(0) == "1970-01-01T00:00:00.000Z"
    assert iso(-1) == "1969-12-31T23:59:59.999Z"


def test_what_is_written_reads_as_the_same_time() -> None:
    moment = now_ms()

    assert parse_ms(iso(moment)) == moment


def test_early_years_have_four_digits() -> None:
    assert iso(-62_135_596_800_000) == "0001-01-01T00:00:00.000Z"


def test_a_time_beyond_the_year_9999_cannot_be_written() -> None:
    with pytest.raises(OverflowError):
        iso(1e15)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-01-02T12:00:00.000Z", NOON_MS),
        ("2026-01-02t12:00:00z", NOON_MS),
        ("2026-01-02T12:00Z", NOON_MS),
        ("2026-01-02T12:00:00.0059999Z", NOON_MS + 5),
        ("2026-01-02T12:00:00.5Z", NOON_MS + 500),
        ("2026-01-02T14:00:00+02:00", NOON_MS),
        ("2026-01-02T06:30:00-0530", NOON_MS),
        ("2026-01-01T24:00:00Z", NOON_MS - 12 * 3_600_000),
        ("2026-01-02", NOON_MS - 12 * 3_600_000),
        ("2026-01", NOON_MS - 36 * 3_600_000),
        ("2026", NOON_MS - 36 * 3_600_000),
        ("2026-02-30T00:00:00Z", 1_772_409_600_000),
        ("2025-02-29T12:00:00Z", 1_740_830_400_000),
    ],
)
def test_iso_texts_are_read_as_javascript_reads_them(text: str, ms: int) -> None:
    assert parse_ms(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-00-10",
        "2026-01-32",
        "2026-01-00",
        "2026-1-2T00:00Z",
        "2026-01-02T25:00Z",
        "2026-01-02T24:00:01Z",
        "2026-01-02T03:04:60Z",
        "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05,678Z",
        "2026-01-02T03:04:05+24:00",
        "-000000-01-01T00:00:00Z",
        "2026-01-02T12:00:00Z\n",
        "٢٠٢٦-01-02",
    ],
)
def test_what_is_no_date_to_javascript_has_no_time(text: str) -> None:
    assert parse_ms(text) is None


@pytest.mark.parametrize(
    ("value", "ms"),
    [(None, 0), (True, 1), (False, 0), (5, 5), (1.9, 1), (-1.9, -1), (8.64e15, 8_640_000_000_000_000)],
)
def test_numbers_are_milliseconds(value: float | None, ms: int) -> None:
    assert parse_ms(value) == ms


@pytest.mark.parametrize("value", [8.64e15 + 1, 1e300, float("inf"), 10**400, [], {}])
def test_what_cannot_be_a_date_has_no_time(value: object) -> None:
    assert parse_ms(value) is None  # type: ignore[arg-type]  # any JSON may stand there


def test_a_time_without_a_zone_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Etc/GMT-3")
    time.tzset()
    try:
        assert parse_ms("2026-01-02T15:00:00") == NOON_MS
        assert parse_ms("2026-01-02") == NOON_MS - 12 * 3_600_000
    finally:
        monkeypatch.undo()
        time.tzset()
