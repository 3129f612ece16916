"""How tokens and cost look: a table with a line for everything at its end, and bars for days."""

from collections.abc import Sequence
from math import inf

from pisess_cli.core.format.javascript import JsonObject, JsonValue, shown
from pisess_cli.core.reports.stats import Row, Stats
from pisess_cli.core.reports.usage_keys import By
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.table import Cell, Column, Styled, write_table
from pisess_cli.view.terminal import Terminal

_KEY_STYLES = {"day": "date", "project": "path", "session": "id", "tool": "tool"}
_LONGEST_BAR = 40
_BESIDE_BARS = 44
"""The columns that are left to a day and its numbers."""
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def write_stats(terminal: Terminal, stats: Stats, by: By, *, as_json: bool) -> None:
    """Writes the rows and the total. Days stand in their order, but in JSON the dearest comes first, as elsewhere."""
    if as_json:
        write_json(terminal, _as_json(stats, by))
        return
    columns = [
        Column(by.capitalize(), _KEY_STYLES.get(by), flexible=True),
        Column("Tokens", right=True),
        Column("Cost", right=True),
    ]
    shown_rows = sorted(stats.rows, key=lambda row: row.key or "") if by == "day" else stats.rows
    table = [_cells(terminal, by, row) for row in shown_rows]
    table.append([Styled("total", "heading"), count(terminal, stats.tokens), money(terminal, stats.cost)])
    if by == "day" and terminal.is_tty:
        columns.append(Column(""))
        longest = min(_LONGEST_BAR, max(terminal.width - _BESIDE_BARS, 1))
        bars = [*_bars([row.cost if stats.cost > 0 else row.tokens for row in shown_rows], longest), ""]
        table = [[*cells, Styled(bar, "current")] for cells, bar in zip(table, bars, strict=True)]
    write_table(terminal, columns, table)


def _as_json(stats: Stats, by: By) -> JsonObject:
    rows: list[JsonValue] = [{by: row.key, "tokens": row.tokens, "cost": row.cost} for row in stats.rows]
    return {"rows": rows, "total": {"tokens": stats.tokens, "cost": stats.cost}}


def _cells(terminal: Terminal, by: By, row: Row) -> list[Cell]:
    key = Styled(f"(no {by})", "other") if row.key is None else row.key
    return [key, count(terminal, row.tokens), money(terminal, row.cost)]


def count(terminal: Terminal, tokens: float) -> str:
    """A number of tokens: grouped on a terminal, as digits alone in a pipe."""
    return f"{tokens:,.0f}" if terminal.is_tty else shown(tokens)


def money(terminal: Terminal, dollars: float) -> str:
    """A cost in dollars: with the sign on a terminal, as a number alone in a pipe."""
    return f"${dollars:,.4f}" if terminal.is_tty else f"{dollars:.4f}"


def _bars(values: Sequence[float], longest: int) -> list[str]:
    most = max(values, default=0)
    return [_bar(value / most * longest) if 0 < value < inf else "" for value in values]


def _bar(cells: float) -> str:
    whole, eighths = divmod(round(cells * 8), 8)
    return "█" * whole + _EIGHTHS[eighths]
