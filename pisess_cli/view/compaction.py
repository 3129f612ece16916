"""How a compaction that is planned looks."""

from collections.abc import Iterable

from pisess_cli.core.context.compaction import Preparation, compaction_path, tokens_after
from pisess_cli.core.context.projection import ProjectedEntry
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.session.session import Session
from pisess_cli.view.entry import EntryRecord, word
from pisess_cli.view.jsonout import write_json
from pisess_cli.view.table import Cell, Column, Styled, write_table
from pisess_cli.view.terminal import Terminal


def write_plan(terminal: Terminal, session: Session, preparation: Preparation, *, as_json: bool) -> None:
    """Writes what would be summarised and kept, entry by entry, and the tokens before and after."""
    after = tokens_after(compaction_path(session.walk(session.leaf)), preparation)
    summarised, kept = _conversation(preparation.summarized), _conversation(preparation.kept)
    if as_json:
        first_kept = preparation.first_kept
        write_json(
            terminal,
            {
                "firstKeptEntryId": word(first_kept.id) if first_kept else None,
                "tokensBefore": preparation.tokens_before,
                "tokensAfter": after,
                "isSplitTurn": preparation.is_split_turn,
                "summarised": [word(entry.source.id) for entry in summarised],
                "kept": [word(entry.source.id) for entry in kept],
                **preparation.file_lists.as_details(),
            },
        )
        return
    columns = (
        Column("Fate"),
        Column("Entry", "id"),
        Column("Kind"),
        Column("Tokens", right=True),
        Column("Says", flexible=True),
    )
    rows = [_cells("summarise", "deletion", entry) for entry in summarised]
    rows += [_cells("keep", "current", entry) for entry in kept]
    write_table(terminal, columns, rows)
    split = ", in the middle of a turn" if preparation.is_split_turn else ""
    terminal.note(
        f"{len(summarised)} entries would be summarised, {len(kept)} kept{split}; "
        f"tokens before {preparation.tokens_before:,.0f}, after {after:,.0f} and the summary"
    )


def _conversation(entries: Iterable[ProjectedEntry]) -> list[ProjectedEntry]:
    # A system message is neither summarised nor kept: the compaction carries it along.
    return [entry for entry in entries if any(message.get("role") != "system" for message in entry.messages)]


def _cells(fate: str, style: str, projected: ProjectedEntry) -> list[Cell]:
    record = EntryRecord(projected.source, None)
    tokens = sum(map(estimate_tokens, projected.messages))
    return [Styled(fate, style), record.id, Styled(record.kind, record.style), str(tokens), record.subject]
