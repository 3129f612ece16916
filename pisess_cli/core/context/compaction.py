"""Where a compaction cuts, what it summarises and what it keeps (PI_DETAILS E2-E4)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pisess_cli.core.context import summary_prompts
from pisess_cli.core.context.conversation_text import conversation_text
from pisess_cli.core.context.file_lists import FileLists, FileOperations, without_file_blocks
from pisess_cli.core.context.messages import entry_messages
from pisess_cli.core.context.projection import (
    ProjectedEntry,
    Projection,
    Settings,
    build_context_entries,
    first_kept_id,
    project,
)
from pisess_cli.core.context.system_message import replayed_system_message
from pisess_cli.core.context.tokens import estimate_projected_context_tokens, estimate_tokens
from pisess_cli.core.errors import Refused
from pisess_cli.core.format import new_entries
from pisess_cli.core.format.entries import Entry, Key, map_key
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe, shown
from pisess_cli.core.format.new_entries import build_entry

KEEP_RECENT_TOKENS = 20_000
"""About as many tokens of the newest messages are kept (PI_DETAILS E6)."""
SPLIT_TURN_MARK = "\n\n---\n\n**Turn Context (split turn):**\n\n"
_TURN_STARTS = ("user", "bashExecution", "custom", "branchSummary", "compactionSummary")
_CANDIDATES = (*_TURN_STARTS, "assistant")


class Preparation(NamedTuple):
    """A compaction before its summary is written.

    `first_kept` is None where nothing is kept. In a split turn, one that is cut in two, what lies before the cut is
    told apart: `turn_prefix_messages` from the turn's start on, `messages_to_summarize` before it. `summarized` and
    `kept` are the context entries on either side of the cut; `system_message` is what the compaction has to replay,
    with its own time as timestamp.
    """

    first_kept: Entry | None
    tokens_before: float
    is_split_turn: bool
    previous_summary: str | None
    messages_to_summarize: list[JsonObject]
    turn_prefix_messages: list[JsonObject]
    file_lists: FileLists
    summarized: list[ProjectedEntry]
    kept: list[ProjectedEntry]
    system_message: JsonObject | None


class _Context(NamedTuple):
    # The projected entries of a path; what can be summarised begins at `start`, after the previous compaction.
    path: Sequence[Entry]
    projection: Projection
    previous: Entry | None
    start: int

    @property
    def entries(self) -> list[ProjectedEntry]:
        return self.projection.entries


def compaction_path(newest_first: Iterable[Entry]) -> list[Entry]:
    """The end of a path that suffices to compact it, root side first: from what its newest compaction keeps on."""
    taken: list[Entry] = []
    wanted: Key | None = None
    compacted = False
    for entry in newest_first:
        taken.append(entry)
        if not compacted and entry.type == "compaction":
            compacted, wanted = True, first_kept_id(entry)
        if compacted and entry.key == wanted:
            break
    taken.reverse()
    return taken


def prepare_compaction(path: Sequence[Entry], keep_recent_tokens: float = KEEP_RECENT_TOKENS) -> Preparation | None:
    """The compaction that Pi would make at the end of the path, or its end (`compaction_path`); None: nothing to do.

    Nothing is to be done where the path ends in a compaction, or where all of it fits into `keep_recent_tokens`.
    """
    if not path or path[-1].type == "compaction":
        return None
    context = _context(path)
    cut = _cut(context, keep_recent_tokens)
    if cut is None or not context.entries[cut].source.id:
        return None
    return _prepared(context, cut, _split_turn_start(context, cut))


def prepare_keeping(path: Sequence[Entry], first_kept: Entry) -> Preparation | None:
    """The compaction that keeps what begins at an entry; None where nothing stands before it to summarise.

    Raises `Refused` for an entry outside the context, and where a tool result would be kept without its call.
    """
    context = _context(path)
    entries = context.entries
    wanted = first_kept.key
    cut = next((i for i in range(context.start, len(entries)) if entries[i].source.key == wanted), None)
    if cut is None or not first_kept.id:
        raise Refused(
            f"not in the context that is left to compact ({shown(first_kept.id)})",
            hint="pisess show-context --explain tells what an earlier compaction has summarised",
        )
    # Bookkeeping before a message does not make it the middle of a turn.
    first_visible = next((i for i in range(cut, len(entries)) if _conversation(entries[i])), None)
    if first_visible is None:
        return _prepared(context, cut, None)
    if _conversation(entries[first_visible])[0].get("role") == "toolResult":
        raise Refused(
            f"a tool result cannot be kept without its call ({shown(first_kept.id)})",
            hint="name the assistant's message that made the call, or one after the results",
        )
    return _prepared(context, cut, _split_turn_start(context, first_visible))


def prepare_keeping_none(path: Sequence[Entry]) -> Preparation | None:
    """The compaction that summarises the whole context; None where that holds no messages."""
    context = _context(path)
    return _prepared(context, len(context.entries), None)


def _context(path: Sequence[Entry]) -> _Context:
    # Neither the model nor the thinking level matters here.
    projection = project(build_context_entries(path), Settings(None, UNDEFINED))
    previous = next(
        (i for i, entry in enumerate(projection.entries) if entry.source.type == "compaction" and entry.messages), None
    )
    if previous is None:
        return _Context(path, projection, None, 0)
    return _Context(path, projection, projection.entries[previous].source, previous + 1)


def _prepared(context: _Context, cut: int, turn_start: int | None) -> Preparation | None:
    entries = context.entries
    history_end = cut if turn_start is None else turn_start
    history = [message for entry in entries[context.start : history_end] for message in _conversation(entry)]
    prefix = [message for entry in entries[history_end:cut] for message in _conversation(entry)]
    if not history and not prefix:
        return None
    operations = FileOperations()
    previous = context.previous.value if context.previous else {}
    operations.add_details(previous)
    for message in (*history, *prefix):
        operations.add_message(message)
    summary = previous.get("summary")
    return Preparation(
        first_kept=entries[cut].source if cut < len(entries) else None,
        tokens_before=estimate_projected_context_tokens(context.projection, context.path).tokens,
        is_split_turn=turn_start is not None,
        previous_summary=None if summary is None else shown(summary),
        messages_to_summarize=history,
        turn_prefix_messages=prefix,
        file_lists=operations.lists(),
        summarized=entries[context.start : cut],
        kept=entries[cut:],
        system_message=replayed_system_message(context.projection.messages),
    )


def _conversation(entry: ProjectedEntry) -> list[JsonObject]:
    # System messages are state, and compactions are carried on as the previous summary.
    if entry.source.type == "compaction":
        return []
    return [message for message in entry.messages if message.get("role") != "system"]


def _has_role(entry: ProjectedEntry, roles: Sequence[str]) -> bool:
    return entry.source.type != "compaction" and any(message.get("role") in roles for message in entry.messages)


def _cut(context: _Context, keep_recent_tokens: float) -> int | None:
    # The place of the first entry that is kept, None where there is none that could be.
    entries, start = context.entries, context.start
    candidates = [i for i in range(start, len(entries)) if _has_role(entries[i], _CANDIDATES)]
    if not candidates:
        return None
    reached = _where_budget_ends(entries, start, keep_recent_tokens)
    if reached is None:
        cut = candidates[0]
    else:
        cut = next((i for i in candidates if i >= reached), candidates[-1])
        if _is_closed_recovery(entries[cut + 1 :]):
            cut += 1
    while cut > start and entries[cut - 1].source.type != "compaction" and not entries[cut - 1].messages:
        cut -= 1
    return cut


def _where_budget_ends(entries: Sequence[ProjectedEntry], start: int, keep_recent_tokens: float) -> int | None:
    total = 0
    for index in range(len(entries) - 1, start - 1, -1):
        tokens = sum(map(estimate_tokens, entries[index].messages))
        total += tokens
        if tokens and total >= keep_recent_tokens:
            return index
    return None


def _is_closed_recovery(after_cut: Sequence[ProjectedEntry]) -> bool:
    # Whether nothing is left to the model after the cut, of an attempt to answer that was taken back (PI_DETAILS E2.6).
    if any(entry.messages or entry.source.type == "compaction" for entry in after_cut):
        return False
    sources = [entry.source for entry in after_cut]
    omitted = [source for source in sources if source.type != "context_edit" and entry_messages(source)]
    omitted_ids = {source.key for source in omitted}
    replaces_others = any(
        source.type == "context_edit"
        and map_key(source.target_id) not in omitted_ids
        and source.value.get("replacement", UNDEFINED) is not None
        for source in sources
    )
    return any(source.role == "assistant" for source in omitted) and not replaces_others


def _split_turn_start(context: _Context, cut: int) -> int | None:
    # Where the turn begins that a cut goes through; None if the entry there begins one, or nothing before it does.
    if _has_role(context.entries[cut], _TURN_STARTS):
        return None
    return next((i for i in range(cut, context.start - 1, -1) if _has_role(context.entries[i], _TURN_STARTS)), None)


def compaction_prompts(preparation: Preparation, instructions: str | None = None) -> list[str]:
    """What a summarizer is asked: for the history, for the beginning of a split turn, or for one and then the other."""
    prompts: list[str] = []
    if preparation.messages_to_summarize:
        history = conversation_text(preparation.messages_to_summarize)
        prompts.append(summary_prompts.history_prompt(history, preparation.previous_summary, instructions))
    if preparation.is_split_turn:
        prompts.append(summary_prompts.turn_prompt(conversation_text(preparation.turn_prefix_messages), instructions))
    return prompts


def join_answers(preparation: Preparation, answers: Sequence[str]) -> str:
    """The summary that the answers to `summary_prompts` make. Raises `Refused` if one of them is empty."""
    parts = [summary_prompts.checked_summary(answer) for answer in answers]
    if not preparation.is_split_turn:
        return parts[0]
    history = parts[0] if preparation.messages_to_summarize else _carried_on(preparation)
    return f"{'No prior history.' if history is None else history}{SPLIT_TURN_MARK}{parts[-1]}"


def summary_template(preparation: Preparation) -> str:
    """What an editor opens on; `summaries.read_template` reads what comes back."""
    messages = (*preparation.messages_to_summarize, *preparation.turn_prefix_messages)
    return summary_prompts.compaction_template(conversation_text(messages), _carried_on(preparation))


def _carried_on(preparation: Preparation) -> str | None:
    # The file blocks of the previous summary would stand twice: the new ones hold their files too.
    previous = preparation.previous_summary
    return None if previous is None else without_file_blocks(previous, preparation.file_lists)


def finish_summary(preparation: Preparation, text: str) -> str:
    """The text as the compaction holds it, with the file lists at its end. Raises `Refused` if it is empty."""
    return summary_prompts.checked_summary(text) + preparation.file_lists.as_text()


def compaction_fields(preparation: Preparation, summary: str, timestamp_ms: int = 0) -> dict[str, Maybe]:
    """What the entry of a finished summary says, in Pi's order; no `firstKeptEntryId` where that is to be its own id.

    `timestamp_ms` is the entry's time, which the replayed system message gets.
    """
    return new_entries.compaction_fields(
        summary,
        preparation.first_kept.id if preparation.first_kept else UNDEFINED,
        preparation.tokens_before,
        details=preparation.file_lists.as_details(),
        system_message=preparation.system_message,
        timestamp_ms=timestamp_ms,
    )


def tokens_after(path: Sequence[Entry], preparation: Preparation, summary: str = "") -> float:
    """The tokens of the context that the compaction would leave, its summary's included."""
    fields = compaction_fields(preparation, summary)
    value = build_entry("compaction", fields, entry_id="(new)", parent_id=path[-1].id, timestamp="")
    compacted = [*path, Entry.from_value(value)]
    projection = project(build_context_entries(compacted), Settings(None, UNDEFINED))
    return estimate_projected_context_tokens(projection, compacted).tokens
