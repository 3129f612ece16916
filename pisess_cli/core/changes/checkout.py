"""Moving the leaf: Pi has no place for it outside the session, so a move is an entry (SPEC 6)."""

from pisess_cli.core.context.branch_summary import (
    BUDGET_TOKENS,
    BranchPreparation,
    collect_entries,
    prepare_branch_entries,
)
from pisess_cli.core.errors import NotFound
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import JsonObject
from pisess_cli.core.format.new_entries import branch_summary_fields
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.reflog import CHECKOUT
from pisess_cli.core.session.session import Session
from pisess_cli.core.tree.history import History


def real_parent(session: Session, entry: Entry) -> Entry | None:
    """The entry right above, bookkeeping or not: where Pi goes to say a message anew. None above a root."""
    return session.get(entry.parent_id) if entry.parent_id and entry.parent_id != entry.id else None


def newest_tip(session: Session, entry: Entry | None) -> Entry:
    """The tip at or below an entry that was written last. Raises `NotFound` in a session without history."""
    below = None if entry is None else session.tree.at_or_below(entry.key)
    for candidate in reversed(History(session.tree).tips):
        if below is None or candidate.key in below:
            return candidate
    raise NotFound(f"no branch ends below that entry ({entry.id if entry else 'ROOT'})")


def is_there(session: Session, target: Entry | None) -> bool:
    """Whether the leaf is at the target already, or only bookkeeping follows the target on the current path."""
    for entry in session.walk(session.leaf):
        if target is not None and entry.key == target.key:
            return True
        if entry.is_history:
            return False
    return target is None


def left_branch(session: Session, target: Entry | None) -> BranchPreparation | None:
    """What a checkout would leave behind, for a summary of it; None where the target is below the leaf."""
    entries = collect_entries(session.walk(session.leaf), session.walk(target)).entries
    return prepare_branch_entries(entries, BUDGET_TOKENS) if entries else None


def move(
    appender: Appender, target: Entry | None, *, summary: str | None = None, details: JsonObject | None = None
) -> Entry:
    """Moves the leaf by an entry below the target: a branch summary if there is one to leave, else a bare checkout."""
    parent = None if target is None else target.id
    left = appender.leaf_id
    if summary is not None:
        fields = branch_summary_fields(left, summary, details=details)
        return appender.append("branch_summary", fields, parent_id=parent)
    came_from = left if isinstance(left, str) else None
    return appender.append("custom", {"customType": CHECKOUT, "data": {"from": came_from}}, parent_id=parent)
