"""How a context looks: its messages, its tokens, and what becomes of each entry of a path."""

from collections.abc import Sequence

from pisess_cli.core.context.explanation import Explanation, explain
from pisess_cli.core.context.messages import convert_to_llm
from pisess_cli.core.context.projection import Projection, build_session_projection
from pisess_cli.core.context.tokens import estimate_projected_context_tokens, estimate_tokens
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import JsonObject, Maybe, defined
from pisess_cli.view.entry import EntryRecord, message_lines, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.sanitize import safe
from pisess_cli.view.table import Column, Styled, write_table
from pisess_cli.view.terminal import Terminal

_FATE_STYLES = {"kept": "current", "edited": "label", "omitted": "deletion"}


def text(terminal: Terminal, projection: Projection, *, system: bool) -> None:
    """Writes the messages that are sent, for people: a heading and the content of each."""
    first = True
    for projected in projection.entries:
        for message in projected.messages:
            if not convert_to_llm([message]) or (message.get("role") == "system" and not system):
                continue
            if not first:
                terminal.line()
            first = False
            record = EntryRecord(projected.source, None)
            terminal.line(f"{terminal.style(safe(record.id), 'id')}  {safe(word(message.get('role')))}")
            for line in message_lines(terminal, message):
                terminal.line(f"    {line}" if line else "")


def llm(terminal: Terminal, projection: Projection) -> None:
    """Writes the messages that a provider gets, one JSON object a line."""
    for message in convert_to_llm(projection.messages):
        write_json(terminal, message)


def tokens(terminal: Terminal, path: Sequence[Entry], *, as_json: bool) -> None:
    """Writes the estimate of all messages, and what Pi takes the context to be from what the provider reported."""
    projection = build_session_projection(path)
    each = [estimate_tokens(message) for message in projection.messages]
    context = estimate_projected_context_tokens(projection, path)
    if as_json:
        counted: dict[str, Maybe] = {
            "tokens": sum(each),
            "contextTokens": context.tokens,
            "usageTokens": context.usage_tokens,
            "trailingTokens": context.trailing_tokens,
            "messages": list(each),
        }
        write_json(terminal, defined(counted))
    elif terminal.is_tty:
        terminal.line(f"{sum(each):>12,}  tokens, estimated from the text of {len(each)} messages")
        terminal.line(f"{context.tokens:>12,.0f}  as Pi counts: what the provider reported last, and what followed")
    else:
        terminal.line(str(sum(each)))


def explanation(terminal: Terminal, path: list[Entry], *, as_json: bool) -> None:
    """Writes what becomes of each entry of the path, root first, its tokens, and the sum of them."""
    fates, _ = explain(path)
    total = sum(fate.tokens for fate in fates)
    if as_json:
        entries: list[JsonObject] = [_fate_json(fate) for fate in fates]
        write_json(terminal, {"entries": list(entries), "tokens": total})
        return
    columns = (
        Column("Entry", "id"),
        Column("Kind"),
        Column("Fate"),
        Column("Tokens", right=True),
        Column("Says", flexible=True),
    )
    rows = [[*_fate_cells(fate)] for fate in fates]
    rows.append(["total", "", "", str(total), ""])
    write_table(terminal, columns, rows)


def _fate_json(fate: Explanation) -> JsonObject:
    return {
        "id": word(fate.entry.id) or None,
        "type": word(fate.entry.type),
        "role": word(fate.entry.role) or None,
        "status": fate.status,
        "by": word(fate.by.id) if fate.by else None,
        "why": fate.why or None,
        "tokens": fate.tokens,
    }


def _fate_cells(fate: Explanation) -> tuple[str | Styled, ...]:
    record = EntryRecord(fate.entry, None)
    by = f" by {word(fate.by.id)[:SHORT_ID]}" if fate.by else ""
    why = f" ({fate.why})" if fate.why else ""
    return (
        record.id,
        Styled(record.kind, record.style),
        Styled(f"{fate.status}{by}{why}", _FATE_STYLES.get(fate.status, "other")),
        str(fate.tokens),
        record.subject,
    )
