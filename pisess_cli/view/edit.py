"""How a change of what the model sees looks: as a diff of the entry's words, and in tokens."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pisess_cli.core.changes.context_edits import Change, Editable
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.entry_text import message_text, subject
from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.view.entry import word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.sanitize import safe
from pisess_cli.view.terminal import Terminal

_STYLES = {"+": "addition", "-": "deletion", "@": "heading"}
_COMPARED_LINES = 1000
_SAID_LINES = 24
_SAID_WIDTH = 200


class DiffLine(NamedTuple):
    """A line of a diff, made safe, and what it is: `-` old, `+` new, `@` where a part begins, ` ` both."""

    mark: str
    text: str


def write_edit(
    terminal: Terminal, editable: Editable, change: Change | None, made: Entry | None, *, as_json: bool
) -> None:
    """Writes what became of an edit to stdout, and says what changes on stderr.

    `change` is None where nothing changes, `made` where nothing was written: of a dry run all that would change is
    written, of an edit its id.
    """
    if as_json:
        write_json(terminal, _as_json(editable, change, made))
    elif made is not None:
        terminal.line(str(made.id))
    elif change is not None:
        with terminal.paged():
            _write_change(terminal, change)
    if change is None:
        terminal.note("the model sees it so already")
        return
    if made is not None:
        _say_change(terminal, change)
    _say_tokens(terminal, change)


def _as_json(editable: Editable, change: Change | None, made: Entry | None) -> JsonObject:
    before = estimate_tokens(editable.present) if editable.present else 0
    return {
        "id": word(made.id) if made else None,
        "targetId": word(editable.target.id),
        "tokensBefore": before,
        "tokensAfter": change.tokens_after if change else before,
    }


def _write_change(terminal: Terminal, change: Change) -> None:
    for line in diff_lines(change):
        terminal.line(terminal.style(line.text, _STYLES[line.mark]) if line.mark in _STYLES else line.text)


def _say_change(terminal: Terminal, change: Change) -> None:
    # As far as a few lines do.
    lines = diff_lines(change)
    said = [_shortened(line.text) for line in islice(lines, _SAID_LINES)]
    more = sum(1 for _ in lines)
    terminal.note("\n".join([*said, f"({more} more lines)"] if more else said))


def _say_tokens(terminal: Terminal, change: Change) -> None:
    before, after = change.tokens_before, change.tokens_after
    verb = "saves" if after <= before else "adds"
    terminal.note(f"{verb} {abs(before - after):,} tokens ({before:,} before, {after:,} now)")


def diff_lines(change: Change) -> Iterator[DiffLine]:
    """The old words against the new ones, line by line; texts that are long are not compared but shown whole."""
    old, new = _lines(change, change.before), _lines(change, change.after)
    if max(len(old), len(new)) > _COMPARED_LINES or not old or not new:
        marked = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    else:
        from difflib import unified_diff

        marked = list(unified_diff(old, new, lineterm=""))[2:]
    return (DiffLine(line[0], safe(line)) for line in marked)


def _lines(change: Change, message: JsonObject | None) -> list[str]:
    if message is None:
        return []
    return (message_text(message) or f"({subject(change.target)})").split("\n")


def _shortened(text: str) -> str:
    return text if len(text) <= _SAID_WIDTH else text[:_SAID_WIDTH] + "…"
