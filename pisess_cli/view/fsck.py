"""How the findings of fsck look, and what a repair does: a line each, that begins with the file and the line in it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pisess_cli.core.copies.findings import Action, Finding, Severity, shorten
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.sanitize import safe
from pisess_cli.view.terminal import Terminal

_STYLES: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "hint"}


def write_findings(terminal: Terminal, path: Path, findings: Iterable[Finding], *, as_json: bool) -> None:
    """Writes the findings of a file, in their order."""
    for finding in findings:
        if as_json:
            fields = {"code": finding.code, "severity": finding.severity}
            write_json(terminal, {"file": str(path), **fields, **_place(finding), "message": finding.message})
        else:
            code = terminal.style(finding.code, _STYLES[finding.severity])
            _write(terminal, path, finding.line, f"{code} {safe(_with_entry(finding.message, finding.entry))}")


def write_actions(terminal: Terminal, path: Path, actions: Iterable[Action], *, as_json: bool) -> None:
    """Writes what a repair does, in its order."""
    for action in actions:
        if as_json:
            write_json(terminal, {"file": str(path), **_place(action), "action": action.what})
        else:
            _write(terminal, path, action.line, safe(_with_entry(action.what, action.entry)))


def _place(item: Finding | Action) -> dict[str, int | str | None]:
    return {"line": item.line, "entry": item.entry}


def _write(terminal: Terminal, path: Path, line: int, text: str) -> None:
    terminal.path(str(path), end="")
    terminal.line(f":{line}: {text}")


def _with_entry(text: str, entry: str | None) -> str:
    return text if entry is None else f"{shorten(entry)}: {text}"


def summary(counts: Mapping[Severity, int], sessions: int) -> str:
    """How many findings of each severity there are, in words: `2 errors, 1 note in 1 session`."""
    found = [_count(counts[severity], severity) for severity in _STYLES if counts.get(severity)]
    return f"{', '.join(found) or 'no faults'} in {_count(sessions, 'session')}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
