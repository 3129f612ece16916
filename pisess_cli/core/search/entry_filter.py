"""Which entries a log shows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pisess_cli.core.errors import UsageFault
from pisess_cli.core.format.entries import ROLES, Entry
from pisess_cli.core.format.entry_text import entry_text
from pisess_cli.core.format.times import parse_ms


class EntryFilter(NamedTuple):
    """What an entry has to be: of one of the types and roles (none given: any), with a text that matches, in time.

    Bookkeeping entries count only with `full`, or where their type or role is asked for. Times are in milliseconds.
    """

    types: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    since: float | None = None
    until: float | None = None
    full: bool = False

    @property
    def is_history_alone(self) -> bool:
        """Whether nothing is asked for, so that history entries are shown and no others."""
        return self == EntryFilter()

    def __call__(self, entry: Entry) -> bool:
        """Whether the entry is shown."""
        if self.types and entry.type not in self.types:
            return False
        if self.roles and entry.role not in self.roles:
            return False
        if not (self.full or self.types or self.roles or entry.is_history):
            return False
        if not self._is_in_time(entry):
            return False
        return self.pattern is None or self.pattern.search(entry_text(entry)) is not None

    def _is_in_time(self, entry: Entry) -> bool:
        if self.since is None and self.until is None:
            return True
        time = parse_ms(entry.timestamp)
        if time is None:
            return False
        return (self.since is None or time >= self.since) and (self.until is None or time <= self.until)

    def select(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """The entries that are shown, in their order."""
        return (entry for entry in entries if self(entry))


def check_roles(roles: Sequence[str]) -> tuple[str, ...]:
    """The roles, their case mended. Raises `UsageFault` for one that no message has."""
    known = {role.lower(): role for role in ROLES}
    found = tuple(known.get(role.lower(), "") for role in roles)
    if "" in found:
        wrong = roles[found.index("")]
        raise UsageFault(f"no such role ({wrong})", hint=f"one of {', '.join(ROLES)}")
    return found
