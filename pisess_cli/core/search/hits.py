"""What a search finds: a line or a likely secret, and the entry that has it."""

from pathlib import Path
from typing import NamedTuple

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import JsonObject, Maybe


class Hit(NamedTuple):
    """A line of text that matches, whole, or an entry with its first line. `session` and `entry` are ids.

    None stands for what the entry does not have, and for `is_current` if the query does not ask for it.
    """

    path: Path
    session: str
    entry: str | None
    type: str | None
    role: str | None
    timestamp: str | None
    line: str
    is_current: bool | None = None

    def as_json(self) -> JsonObject:
        """The hit as `find --json` shows it."""
        return {**_place(self), "line": self.line}


class SecretHit(NamedTuple):
    """A likely secret in an entry: the rule that found it, and its first characters.

    `session` and `entry` are ids. None stands for what the entry does not have, and for all of it in a line that is no
    JSON.
    """

    path: Path
    session: str
    entry: str | None
    type: str | None
    role: str | None
    timestamp: str | None
    rule: str
    masked: str
    is_current: bool | None = None

    @property
    def line(self) -> str:
        """What there is to see of it."""
        return f"{self.rule} {self.masked}"

    def as_json(self) -> JsonObject:
        """The hit as `find --secrets --json` shows it."""
        return {**_place(self), "rule": self.rule, "masked": self.masked}


def _place(hit: Hit | SecretHit) -> JsonObject:
    return {
        "path": str(hit.path),
        "session": hit.session,
        "entry": hit.entry,
        "type": hit.type,
        "role": hit.role,
        "timestamp": hit.timestamp,
    }


def described(entry: Entry) -> tuple[str | None, str | None, str | None, str | None]:
    """An entry's id, type, role and time, as a hit has them."""
    return _text(entry.id), _text(entry.type), _text(entry.role), _text(entry.timestamp)


def _text(value: Maybe) -> str | None:
    return value if isinstance(value, str) else None
