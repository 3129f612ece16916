"""How what was found looks: sessions as a table, hits line by line, counts."""

from collections.abc import Iterable
from itertools import groupby, islice
from pathlib import Path

from pisess_cli.core.search.hits import Hit, SecretHit
from pisess_cli.core.search.pattern import Pattern
from pisess_cli.core.store.listing import SessionInfo
from pisess_cli.view import cells
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import kind_of
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.sanitize import safe
from pisess_cli.view.table import Column, write_table
from pisess_cli.view.terminal import Terminal

# As much of a UUID of version 7 as holds its time: what is typed of an id to name a session.
_SHORT_SESSION_ID = 13
FOUND, NOTHING_FOUND = 0, 1
_BRANCHES = {True: "current", False: "abandoned", None: None}


def sessions(
    terminal: Terminal, infos: Iterable[SessionInfo], date: DateFormat, *, files: bool, count: bool, as_json: bool
) -> int:
    """Writes the sessions: as JSON, as paths, as their number, or as a table. Returns the exit code."""
    found = list(infos)
    if count:
        terminal.line(str(len(found)))
    elif as_json:
        for info in found:
            write_json(terminal, info.as_json())
    elif files:
        for info in found:
            terminal.path(str(info.path))
    elif terminal.is_tty:
        _session_table(terminal, found, date)
    else:
        for info in found:
            terminal.path(str(info.path), end="\t")
            rest = (info.id, date.of(info.modified), str(info.message_count), info.cwd, title(info))
            terminal.line("\t".join(map(safe, rest)))
    return FOUND if found else NOTHING_FOUND


def title(info: SessionInfo) -> str:
    """What a session is known by: its name, else its first message."""
    return info.name or info.first_message


def _session_table(terminal: Terminal, infos: Iterable[SessionInfo], date: DateFormat) -> None:
    columns = (
        Column("Modified", "date"),
        Column("Id", "id"),
        Column("Messages", right=True),
        Column("Project", "path", flexible=True),
        Column("Name, or first message", flexible=True),
    )
    rows = (
        (
            date.of(info.modified),
            info.id[:_SHORT_SESSION_ID],
            str(info.message_count),
            _home_short(info.cwd),
            title(info),
        )
        for info in infos
    )
    write_table(terminal, columns, rows)


def _home_short(cwd: str) -> str:
    home = str(Path.home())
    return f"~{cwd[len(home) :]}" if cwd == home or cwd.startswith(f"{home}/") else cwd


def hits(
    terminal: Terminal,
    found: Iterable[Hit | SecretHit],
    pattern: Pattern | None,
    date: DateFormat,
    *,
    with_branch: bool,
    as_json: bool,
) -> int:
    """Writes the hits as they come: as JSON, in a pipe a line each, on a terminal under their sessions."""
    code = NOTHING_FOUND
    abandoned: Hit | SecretHit | None = None
    for path, of_session in groupby(found, key=lambda hit: hit.path):
        for place, hit in enumerate(of_session):
            abandoned = hit if hit.is_current is False else abandoned
            if as_json:
                branch = {"branch": _BRANCHES[hit.is_current]} if with_branch and not terminal.is_tty else {}
                write_json(terminal, {**hit.as_json(), **branch})
            elif terminal.is_tty:
                if not place:
                    terminal.line(("" if code else "\n") + terminal.style(safe(str(path)), "path"))
                terminal.line(_hit_line(terminal, hit, pattern, date))
            else:
                terminal.path(str(path), end="\t")
                kind = hit.role or hit.type or ""
                shown = [hit.entry or "", kind, *([_BRANCHES[hit.is_current] or ""] if with_branch else []), hit.line]
                terminal.line("\t".join(map(safe, shown)))
            code = FOUND
    if abandoned and terminal.is_tty:
        terminal.note(f"an abandoned branch is not lost: pisess -s {abandoned.session} checkout {abandoned.entry}")
    return code


def _hit_line(terminal: Terminal, hit: Hit | SecretHit, pattern: Pattern | None, date: DateFormat) -> str:
    entry = safe(hit.entry or "")[:SHORT_ID]
    kind = safe(kind_of(hit.role or hit.type or ""))
    when = date.of(hit.timestamp)
    aside = " (abandoned)" if hit.is_current is False else ""
    head = f"  {terminal.style(entry, 'id')} {kind:<9} {terminal.style(when, 'date')}{terminal.style(aside, 'hint')}  "
    room = max(terminal.width - cells.width(f"  {entry} {kind:<9} {when}{aside}  "), 20)
    before, match, after = _around(hit.line.strip(), pattern, room)
    return f"{head}{before}{terminal.style(match, 'match')}{after}"


def _around(line: str, pattern: Pattern | None, room: int) -> tuple[str, str, str]:
    # The part of a line about its first match, as much as there is room for.
    span = pattern.span(line) if pattern else None
    if span is None:
        return cells.cut(safe(line[: room * 4]), room), "", ""
    start, end = span
    first = max(0, start - room // 3) if cells.width(safe(line[: room * 4])) > room else 0
    before = ("…" if first else "") + safe(line[first:start])
    match = cells.cut(safe(line[start:end][: room * 4]), max(room - cells.width(before), 1))
    left = room - cells.width(before) - cells.width(match)
    return before, match, cells.cut(safe(line[end : end + room * 4]), left) if left > 0 else ""


def counts(
    terminal: Terminal, found: Iterable[Hit | SecretHit], limit: int | None, *, counted: bool, as_json: bool
) -> int:
    """Writes the sessions with hits, each once, with how many if they are `counted`."""
    code = NOTHING_FOUND
    for path, of_session in islice(groupby(found, key=lambda hit: hit.path), limit):
        code = FOUND
        number = sum(1 for _ in of_session) if counted else None
        if as_json:
            write_json(terminal, {"path": str(path)} if number is None else {"path": str(path), "count": number})
        elif number is None:
            terminal.path(str(path))
        else:
            terminal.path(str(path), end=f"\t{number}\n")
    return code
