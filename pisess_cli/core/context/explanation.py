"""Why the model would see an entry, or would not: every entry of a path with its fate and its tokens."""

from typing import Literal, NamedTuple

from pisess_cli.core.context.projection import (
    Projection,
    build_context_entries,
    build_session_projection,
    context_edits,
)
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import UNDEFINED

Status = Literal["kept", "summarised", "edited", "omitted", "not for the model"]


class Explanation(NamedTuple):
    """What becomes of an entry. `by`: the compaction or the edit that decides; `why`: a reason in words.

    `tokens` is the estimate of the messages that it gives, 0 for what gives none. Kept and edited entries, in order,
    are those of the projection that have messages.
    """

    entry: Entry
    status: Status
    by: Entry | None
    why: str
    tokens: int


def explain(path: list[Entry]) -> tuple[list[Explanation], Projection]:
    """The fate of each entry of a path, root first, and the projection at its end."""
    projection = build_session_projection(path)
    context = build_context_entries(path)
    tokens = {projected.source.key: sum(map(estimate_tokens, projected.messages)) for projected in projection.entries}
    has_messages = {projected.source.key for projected in projection.entries if projected.messages}
    compaction = context[0] if context and context[0].type == "compaction" else None
    edits = context_edits(context)

    def fate(entry: Entry) -> Explanation:
        key = entry.key
        edit = edits.get(key)
        if key not in tokens:
            return Explanation(entry, "summarised", compaction, "", 0)
        if edit is not None and edit.value.get("replacement", UNDEFINED) is None:
            return Explanation(entry, "omitted", edit, "", 0)
        if key not in has_messages:
            return Explanation(entry, "not for the model", None, _why_silent(entry, compaction), 0)
        status: Status = "edited" if edit is not None else "kept"
        return Explanation(entry, status, edit, _remark(entry), tokens[key])

    return [fate(entry) for entry in path], projection


def _why_silent(entry: Entry, compaction: Entry | None) -> str:
    if entry.type == "compaction" and entry is not compaction:
        return "an older compaction"
    if entry.type == "branch_summary":
        return "its summary is empty"
    return "bookkeeping" if not entry.is_history else "no message"


def _remark(entry: Entry) -> str:
    if entry.role == "bashExecution" and entry.message.get("excludeFromContext"):
        return "run with !!, so not sent"
    return ""
