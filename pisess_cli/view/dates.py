"""Dates as people read and write them; inside pisess a time is milliseconds since 1970, None where it is no date."""

import re
import time
from bisect import bisect
from collections.abc import Callable
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from functools import cache, lru_cache

from pisess_cli.core.errors import UsageFault
from pisess_cli.core.format.javascript import Maybe
from pisess_cli.core.format.times import is_usual, parse_ms
from pisess_cli.core.format.times import now_ms as current_ms

UNKNOWN = "?"
"""What stands for a time that is no date."""


class DateFormat:
    """How times are shown: milliseconds by calling it, what a file says by `of`. `?` stands for what is no date."""

    def __init__(self, show: Callable[[float], str]) -> None:
        self._show = show

    def __call__(self, ms: float | None) -> str:
        """The time in words."""
        return UNKNOWN if ms is None else self._show(ms)

    def of(self, timestamp: Maybe) -> str:
        """The time that a field of a session says, in words."""
        return self(parse_ms(timestamp))


_ISO_LOCAL = "%Y-%m-%d %H:%M:%S %z"

_MINUTE = 60
_QUARTER = 15 * _MINUTE
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_YEAR = 365 * _DAY
# Below so many seconds they are counted in the unit beside it. Small counts say too little, so `90 minutes`.
_LIMITS = (90, 90 * _MINUTE, 36 * _HOUR, 14 * _DAY, 10 * 7 * _DAY, 2 * _YEAR)
_UNITS = (
    (1, "second"),
    (_MINUTE, "minute"),
    (_HOUR, "hour"),
    (_DAY, "day"),
    (7 * _DAY, "week"),
    (_YEAR / 12, "month"),
    (_YEAR, "year"),
)


def date_format(style: str, *, now_ms: float | None = None) -> DateFormat:
    """How `--date=STYLE` shows a time: `relative`, `iso` and `format:STRFTIME` (local zone), `unix` (whole seconds).

    Raises `UsageFault` for an unknown style.
    """
    if style == "relative":
        now = current_ms() if now_ms is None else now_ms
        return DateFormat(lambda ms: relative(ms, now))
    if style == "unix":
        return DateFormat(lambda ms: str(int(ms // 1000)))
    if style == "iso":
        return _IsoFormat()
    kind, colon, pattern = style.partition(":")
    if kind == "format" and colon:
        return DateFormat(lambda ms: _local(ms, pattern))
    raise UsageFault(
        f"no such date style ({style})", hint="use relative, iso, unix or format:STRFTIME, as in format:%d.%m.%Y"
    )


def relative(ms: float, now_ms: float) -> str:
    """How long before now that is, rounded: `3 hours ago`; `in 3 hours` after now."""
    seconds = abs(now_ms - ms) / 1000
    size, name = _UNITS[bisect(_LIMITS, seconds)]
    count = int(seconds / size + 0.5)
    span = f"{count} {name}{'' if count == 1 else 's'}"
    return f"in {span}" if ms > now_ms + 500 else f"{span} ago"


def parse_when(text: str, *, end_of_day: bool = False, now_ms: float | None = None) -> float:
    """The time that a person means, in milliseconds since 1970.

    ISO dates and times (local unless they name a zone), `HH:MM` today, `now`, `today`, `yesterday`, `3h`, `2 days ago`,
    `2.weeks.ago` as Git has it, Unix times in seconds or milliseconds (`@` before them is Git's). A day as a whole is
    its first millisecond, with `end_of_day` its last: `--until 2026-03-01` has that day in it. Raises `UsageFault`.
    """
    now = datetime.fromtimestamp((current_ms() if now_ms is None else now_ms) / 1000)  # noqa: DTZ006 - what people say is local
    words = text.strip().lower()
    try:
        day = _day(words, now)
        if day is None:
            return _moment(words, now)
        # The next midnight less a millisecond: a day need not have 24 hours.
        return _to_ms(_midnight(day + timedelta(days=1))) - 1 if end_of_day else _to_ms(_midnight(day))
    except (ValueError, OverflowError, OSError):
        fault = UsageFault(
            f"not a date ({text})", hint="write it as 2026-03-01, 2026-03-01T10:30, yesterday, '2 days ago' or 3h"
        )
        raise fault from None


class _IsoFormat(DateFormat):
    # A whole log asks for the system's clock often, and its entries stand near each other in time: the clock is asked
    # once for each quarter of an hour, and a timestamp put together once for each minute.
    def __init__(self) -> None:
        super().__init__(self._iso)
        self._first_of_quarter = cache(_first_of_quarter)
        self._around_seconds = lru_cache(maxsize=1024)(self._around)
        self._around_seconds_of = lru_cache(maxsize=1024)(self._around_of)

    def of(self, timestamp: Maybe) -> str:
        if isinstance(timestamp, str) and is_usual(timestamp):
            around = self._around_seconds_of(timestamp[:16])
            if around:
                return f"{around[0]}{timestamp[17:19]}{around[1]}"
        return self(parse_ms(timestamp))

    def _iso(self, ms: float) -> str:
        minute, second = divmod(int(ms // 1000), _MINUTE)
        around = self._around_seconds(minute)
        return f"{around[0]}{second:02}{around[1]}" if around else _local(ms, _ISO_LOCAL)

    def _around(self, minute: int) -> tuple[str, str] | None:
        # What stands before and behind the seconds, in a minute since 1970.
        quarter, after = divmod(minute, _QUARTER // _MINUTE)
        first = self._first_of_quarter(quarter)
        return first and (f"{first[0]}{first[1] + after:02}:", first[2])

    def _around_of(self, start: str) -> tuple[str, str] | None:
        # The same for the minute that a timestamp begins with.
        ms = parse_ms(f"{start}:00.000Z")
        return None if ms is None else self._around_seconds(ms // 1000 // _MINUTE)


def _first_of_quarter(quarter: int) -> tuple[str, int, str] | None:
    # The words of a quarter of an hour before its minutes and behind its seconds, and the minute that it begins with;
    # None where clocks were not set by quarters.
    found = re.fullmatch(r"(.*:)(\d\d):00( .*)", _local(quarter * _QUARTER * 1000, _ISO_LOCAL))
    if quarter < 0 or not found or int(found[2]) % 15:
        return None
    return found[1], int(found[2]), found[3]


def _local(ms: float, pattern: str) -> str:
    try:
        return time.strftime(pattern, time.localtime(ms // 1000))
    except (ValueError, OverflowError, OSError):
        return UNKNOWN


def _day(words: str, now: datetime) -> date | None:
    if words in ("today", "yesterday"):
        return now.date() - timedelta(days=words == "yesterday")
    try:
        return date.fromisoformat(words.upper())
    except ValueError:
        return None


_UNIX = r"@(\d+)|(\d{9,})"
_MILLISECONDS_FROM = 10**11
_AGO = r"(?:(\d+)[ ._]*|an?[ ._]+)([a-z]+)(?:[ ._]+ago)?"
_SECONDS = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), _MINUTE),
    **dict.fromkeys(("h", "hr", "hour"), _HOUR),
}
_DAYS = {"d": 1, "day": 1, "w": 7, "week": 7}
_MONTHS = {"mo": 1, "month": 1, "y": 12, "year": 12}


def _moment(words: str, now: datetime) -> float:
    if words == "now":
        return _to_ms(now)
    if unix := re.fullmatch(_UNIX, words, re.ASCII):
        number = int(unix[1] or unix[2])
        return float(number if number >= _MILLISECONDS_FROM else number * 1000)
    if ago := re.fullmatch(_AGO, words, re.ASCII):
        unit = ago[2] if len(ago[2]) < 3 else ago[2].removesuffix("s")
        return _before(now, int(ago[1] or 1), unit)
    iso = words.upper()
    if re.match(r"\d\d:", iso):
        return _to_ms(datetime.combine(now.date(), clock_time.fromisoformat(iso)))
    return _to_ms(datetime.fromisoformat(iso))


def _before(now: datetime, count: int, unit: str) -> float:
    if unit in _SECONDS:
        return _to_ms(now) - count * _SECONDS[unit] * 1000
    if unit in _DAYS:
        return _to_ms(now - timedelta(days=count * _DAYS[unit]))
    if unit not in _MONTHS:
        raise ValueError(unit)
    from calendar import monthrange

    months = now.year * 12 + now.month - 1 - count * _MONTHS[unit]
    year, month = months // 12, months % 12 + 1
    # Where the month is too short for the day, its last one is meant.
    return _to_ms(now.replace(year=year, month=month, day=min(now.day, monthrange(year, month)[1])))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, clock_time())


def _to_ms(moment: datetime) -> float:
    return float(round(moment.timestamp() * 1000))
