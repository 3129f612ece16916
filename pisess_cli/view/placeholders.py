"""`--format`: Git's placeholders for what pisess shows of an entry."""

import re
from collections.abc import Callable
from typing import Protocol

from pisess_cli.core.errors import UsageFault
from pisess_cli.view.dates import DateFormat, date_format
from pisess_cli.view.sanitize import first_line, safe
from pisess_cli.view.styles import SGR

SHORT_ID = 8
"""How many characters of an id are shown where one need not have them all."""


class Record(Protocol):
    """What a placeholder can ask of an entry, as it stands in the file; only what a format names is asked for."""

    @property
    def id(self) -> str: ...  # noqa: D102 - the entry's own words
    @property
    def parent_id(self) -> str | None: ...  # noqa: D102
    @property
    def type(self) -> str: ...  # noqa: D102
    @property
    def role(self) -> str | None: ...  # noqa: D102
    @property
    def text(self) -> str:
        """All that it says."""

    @property
    def time_ms(self) -> float | None:
        """Milliseconds since 1970, None where the entry has no valid date."""

    @property
    def label(self) -> str | None: ...  # noqa: D102
    @property
    def tokens(self) -> int | None: ...  # noqa: D102
    @property
    def cost(self) -> float | None:
        """In dollars."""

    @property
    def model(self) -> str | None: ...  # noqa: D102


Part = Callable[[Record], str]

_PLACEHOLDER = r"%(?:x([0-9a-fA-F]{2})|C\(([^()]*)\)|C(red|green|blue|reset)|a([drt])|([HhptrsbdTcmn%]))"


def compile_format(template: str, *, date: DateFormat, color: bool) -> Part:
    """What gives an entry's text by the template, with no newline of its own behind it.

    `%h %H` id (short, whole) · `%p` parent · `%t` type · `%r` role · `%s` first line · `%b` whole text · `%ad` date as
    `date` shows it, `%ar` relative, `%at` Unix seconds · `%d` label as ` (label)` · `%T` tokens · `%c` dollars ·
    `%m` model · `%n` newline · `%xNN` the character of that code · `%C(red)` colour (nothing unless `color`) · `%%`.
    What an entry lacks is empty; an unknown placeholder stays as it is, as in Git. Raises `UsageFault` for a colour
    that is none.
    """
    fields = _FIELDS | {"ad": lambda record: date(record.time_ms), "ar": _by_date("relative"), "at": _by_date("unix")}
    parts: list[str | Part] = []
    position = 0
    for found in re.finditer(_PLACEHOLDER, template):
        parts.append(template[position : found.start()])
        position = found.end()
        code, colors, color_name, date_kind, letter = found.groups()
        if code:
            parts.append(chr(int(code, 16)))
        elif colors is not None or color_name:
            sequence = _sgr(color_name or colors)
            parts.append(sequence if color else "")
        else:
            parts.append(fields[f"a{date_kind}" if date_kind else letter])
    parts.append(template[position:])
    return lambda record: "".join(part if isinstance(part, str) else part(record) for part in parts)


def _by_date(style: str) -> Part:
    shown = date_format(style)
    return lambda record: shown(record.time_ms)


def _sgr(words: str) -> str:
    names = words.replace(",", " ").split()
    unknown = [name for name in names if name not in SGR]
    if unknown or not names:
        raise UsageFault(
            f"no such colour (%C({words}))", hint="use red, green, yellow, blue, magenta, cyan, bold, dim, ul, reset"
        )
    return f"\x1b[{';'.join(SGR[name] for name in names)}m"


def _cost(record: Record) -> str:
    return "" if record.cost is None else f"{record.cost:.4f}"


def _tokens(record: Record) -> str:
    return "" if record.tokens is None else str(record.tokens)


_FIELDS: dict[str, str | Part] = {
    "H": lambda record: safe(record.id),
    "h": lambda record: safe(record.id[:SHORT_ID]),
    "p": lambda record: safe(record.parent_id or ""),
    "t": lambda record: safe(record.type),
    "r": lambda record: safe(record.role or ""),
    "s": lambda record: safe(first_line(record.text)),
    "b": lambda record: safe(record.text, newlines=True),
    "d": lambda record: f" ({safe(record.label)})" if record.label else "",
    "T": _tokens,
    "c": _cost,
    "m": lambda record: safe(record.model or ""),
    "n": "\n",
    "%": "%",
}
