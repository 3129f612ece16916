"""Times as Pi's files hold them: ISO strings, and milliseconds since 1970."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from pisess_cli.core.format.javascript import Maybe

_ISO = (
    r"([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?"
)
# What Pi writes, and the interpreter reads quickly.
_USUAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]\.[0-9]{3}Z")
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FARTHEST_MS = 8.64e15


def now_ms() -> int:
    """The time now, in whole milliseconds since 1970."""
    return (datetime.now(UTC) - _EPOCH) // _MILLISECOND


def iso(ms: float) -> str:
    """Milliseconds as Pi writes them: `2026-01-02T03:04:05.678Z`. Raises `OverflowError` beyond the year 9999."""
    moment = _EPOCH + timedelta(milliseconds=int(ms))
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def is_usual(value: str) -> bool:
    """Whether it is written as Pi writes timestamps, `2026-01-02T03:04:05.678Z`; it may still be no date."""
    return _USUAL.fullmatch(value) is not None


def parse_ms(value: Maybe) -> int | None:
    """What `new Date(value).getTime()` gives for an entry's timestamp, or None where JavaScript has an invalid date.

    Strings in ISO form only: a time without a zone is local, a date alone is UTC. Null counts as 0, a number as itself.
    """
    if not isinstance(value, str):
        if isinstance(value, bool | None):
            return int(value or 0)
        return int(value) if isinstance(value, int | float) and abs(value) <= _FARTHEST_MS else None
    if is_usual(value):
        try:
            return _minute_ms(value[:17]) + int(value[17:19]) * 1000 + int(value[20:23])
        except ValueError:
            pass  # the 30th of February, 24:00
    found = re.fullmatch(_ISO, value, re.ASCII)
    if not found or value.startswith("-000000"):
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    numbers = [
        int(part) if part else default for part, default in ((month, 1), (day, 1), (hour, 0), (minute, 0), (second, 0))
    ]
    try:
        return _to_ms(int(year), *numbers, fraction=fraction or "0", zone=zone if hour else "Z")
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=256)
def _minute_ms(start: str) -> int:
    # Entries stand near each other in time, as a rule.
    return (datetime.fromisoformat(f"{start}00Z") - _EPOCH) // _MILLISECOND


def _to_ms(
    year: int, month: int, day: int, hour: int, minute: int, second: int, *, fraction: str, zone: str | None
) -> int:
    midnight_after = (hour, minute, second) == (24, 0, 0) and not fraction.strip("0")
    if day > 31 or day < 1:
        raise ValueError(day)
    moment = datetime(
        year, month, 1, 0 if midnight_after else hour, minute, second, tzinfo=None if zone is None else UTC
    )
    moment += timedelta(days=day - 1 + midnight_after)
    if zone is None:
        moment = moment.astimezone(UTC)
    elif zone not in "Zz":
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        moment += offset if zone[0] == "-" else -offset
    return (moment - _EPOCH) // _MILLISECOND + int(fraction[:3].ljust(3, "0"))
