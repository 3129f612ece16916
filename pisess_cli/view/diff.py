"""How the difference of two points looks: a table, the entries of each side, or two contexts line by line."""

from collections.abc import Iterator
from typing import NamedTuple

from pisess_cli.core.context.messages import convert_to_llm, entry_messages
from pisess_cli.core.format.entry_text import subject
from pisess_cli.core.format.javascript import JsonObject, JsonValue, shown
from pisess_cli.core.reports.comparison import Comparison, Side, Work, work_of
from pisess_cli.core.reports.text_diff import unified_diff
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, full, message_lines, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.sanitize import safe
from pisess_cli.view.stats import count, money
from pisess_cli.view.table import Cell, Column, write_table
from pisess_cli.view.terminal import Terminal

_INDENT = "    "
_ROOT = "ROOT"
_STYLES = {"@": "tool", "-": "deletion", "+": "addition"}


class Parts(NamedTuple):
    """What is shown of a comparison."""

    stat: bool
    messages: bool
    context: bool


class DiffView:
    """Writes a comparison; `names` are what the two points were called."""

    def __init__(self, terminal: Terminal, compared: Comparison, names: tuple[str, str]) -> None:
        self._terminal = terminal
        self._compared = compared
        self._sides = (compared.one, compared.other)
        self._names = names

    def write(self, parts: Parts, date: DateFormat) -> None:
        """Writes the parts for people, an empty line between them. Nothing where nothing stands between the points."""
        if self._compared.is_empty:
            return
        if parts.stat:
            self._table()
        if parts.messages:
            if parts.stat:
                self._terminal.line()
            self._messages(date)
        if parts.context:
            if parts.stat or parts.messages:
                self._terminal.line()
            self._context()

    def _table(self) -> None:
        columns = (
            Column(""),
            Column("", flexible=True),
            *(Column(safe(name), right=True) for name in self._names),
        )
        write_table(self._terminal, columns, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        ancestor = self._compared.ancestor
        above = word(ancestor.id) if ancestor else _ROOT
        yield ["ancestor", subject(ancestor) if ancestor else "", above, above]
        if self._compared.one.session.path != self._compared.other.session.path:
            yield ["session", "", *(side.session.header.id for side in self._sides)]
        yield ["entry", "", *map(_end, self._sides)]
        one, other = works = [work_of(side.entries) for side in self._sides]
        yield ["turns", "", *(str(work.turns) for work in works)]
        yield ["entries", "", *(str(work.entries) for work in works)]
        yield ["tokens", "", *(count(self._terminal, work.tokens) for work in works)]
        yield ["cost", "", *(money(self._terminal, work.cost) for work in works)]
        yield ["context", "", *(count(self._terminal, side.context_tokens) for side in self._sides)]
        for tool in {**one.tools, **other.tools}:
            yield ["tool", tool, *(str(work.tools.get(tool, 0)) for work in works)]
        fates = [_fates(work) for work in works]
        for path in sorted({**fates[0], **fates[1]}):
            yield ["file", path, *(fate.get(path, "") for fate in fates)]

    def _messages(self, date: DateFormat) -> None:
        for mark, name, side in zip("-+", self._names, self._sides, strict=True):
            if mark == "+":
                self._terminal.line()
            self._heading(mark, name, side)
            for entry in side.history:
                record = EntryRecord(entry, side.session.label_of(entry), is_head=side.session.is_head(entry))
                self._terminal.line("\n".join(("", *full(self._terminal, record, date))))

    def _context(self) -> None:
        old, new = (_context_lines(side) for side in self._sides)
        lines = list(unified_diff(old, new))
        for mark, name, side in zip("-+", self._names, self._sides, strict=True) if lines else ():
            self._heading(mark, name, side)
        for mark, text in lines:
            line = mark + text
            self._terminal.line(self._terminal.style(line, _STYLES[mark]) if mark in _STYLES else line)

    def _heading(self, mark: str, name: str, side: Side) -> None:
        end = _end(side)
        words = safe(name if name == end else f"{name} ({end})")
        self._terminal.line(self._terminal.style(f"{mark * 3} {words}", "heading"))

    def write_json(self, parts: Parts) -> None:
        """Writes one object: the ancestor and both sides, with their messages and the contexts' diff if asked for."""
        ancestor = self._compared.ancestor
        one, other = (_as_json(side, parts) for side in self._sides)
        value: JsonObject = {"ancestor": word(ancestor.id) if ancestor else None, "a": one, "b": other}
        if parts.context:
            old, new = (_context_lines(side) for side in self._sides)
            value["contextDiff"] = [mark + text for mark, text in unified_diff(old, new)]
        write_json(self._terminal, value)


def _end(side: Side) -> str:
    return word(side.end.id) if side.end else _ROOT


def _fates(work: Work) -> dict[str, str]:
    read, changed = (
        dict.fromkeys(map(shown, names), fate) for names, fate in zip(work.files, ("read", "changed"), strict=True)
    )
    return read | changed


def _as_json(side: Side, parts: Parts) -> JsonObject:
    work = work_of(side.entries)
    value: JsonObject = {
        "session": side.session.header.id,
        "id": word(side.end.id) if side.end else None,
        "turns": work.turns,
        "entries": work.entries,
        **work.files.as_details(),
        "tools": {**work.tools},
        "tokens": work.tokens,
        "cost": work.cost,
        "contextTokens": side.context_tokens,
    }
    if parts.messages:
        messages: list[JsonValue] = [message for entry in side.history for message in entry_messages(entry)]
        value["messages"] = messages
    return value


def _context_lines(side: Side) -> list[str]:
    # Written without colours and ids: what is equal for the model is equal here.
    plain = Terminal(color="never")
    lines: list[str] = []
    for message in convert_to_llm(side.projection.messages):
        lines += [""] if lines else []
        lines.append(safe(word(message.get("role"))))
        lines += [_INDENT + line for line in (*message_lines(plain, message), *_system_lines(message))]
    return lines


def _system_lines(message: JsonObject) -> Iterator[str]:
    # What a system message holds besides its content.
    sections = message.get("sections")
    for name, text in sections.items() if isinstance(sections, dict) else ():
        yield f"{safe(name)}:"
        yield from (f"  {line}" for line in safe(shown(text), newlines=True).split("\n"))
    for key in ("toolsAdded", "toolsRemoved"):
        if key in message:
            tools = message[key]
            names = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
            yield safe(f"{key}: {', '.join(map(shown, names))}")
