"""Rows of cells: on a terminal aligned, coloured and cut to its width, in a pipe tab-separated and whole.

Cells hold foreign text as it is; it is made safe here, so that no tab or newline in one breaks the columns.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pisess_cli.view import cells
from pisess_cli.view.sanitize import safe
from pisess_cli.view.terminal import Terminal

_GAP = "  "
_LEAST_WIDTH = 8


class Column(NamedTuple):
    """A column: its title (shown on a terminal only), the style of its cells, and how it behaves there.

    `flexible` columns are made narrower when a row is too wide; of the others nothing is ever cut.
    """

    title: str
    style: str | None = None
    right: bool = False
    flexible: bool = False


class Styled(NamedTuple):
    """A cell in a style of its own."""

    text: str
    style: str | None


Cell = str | Styled


def write_table(terminal: Terminal, columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> None:
    """Writes the rows, in order: in a pipe each as soon as it comes, on a terminal together, under a line of titles."""
    if terminal.limit is None:
        for row in rows:
            terminal.line("\t".join(safe(_text(cell)) for cell in row))
        return
    lines = [
        [Styled(safe(_text(cell)), _style(cell, column)) for cell, column in zip(row, columns, strict=True)]
        for row in rows
    ]
    if not lines:
        return
    lines.insert(0, [Styled(column.title, "heading") for column in columns])
    widths = _fit(
        [max(cells.width(line[at].text) for line in lines) for at in range(len(columns))], columns, terminal.limit
    )
    for line in lines:
        terminal.line(_GAP.join(_drawn(terminal, *part) for part in zip(line, columns, widths, strict=True)).rstrip())


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def _style(cell: Cell, column: Column) -> str | None:
    return column.style if isinstance(cell, str) else cell.style


def _fit(widths: Sequence[int], columns: Sequence[Column], limit: int) -> list[int]:
    # The widest flexible column gives way, a cell at a time, as long as it has more than the least width.
    fitted = [min(width, limit) if column.flexible else width for width, column in zip(widths, columns, strict=True)]
    flexible = [at for at, column in enumerate(columns) if column.flexible]
    while sum(fitted) + len(_GAP) * (len(fitted) - 1) > limit:
        widest = max(flexible, key=fitted.__getitem__, default=None)
        if widest is None or fitted[widest] <= _LEAST_WIDTH:
            break
        fitted[widest] -= 1
    return fitted


def _drawn(terminal: Terminal, cell: Styled, column: Column, columns: int) -> str:
    text = cells.cut(cell.text, columns)
    spaces = " " * (columns - cells.width(text))
    shown = terminal.style(text, cell.style) if cell.style and text else text
    return spaces + shown if column.right else shown + spaces
