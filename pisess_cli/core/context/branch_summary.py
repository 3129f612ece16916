"""What is summarised of a branch that is left for another place (PI_DETAILS F)."""

from collections.abc import Iterable, Sequence
from itertools import takewhile, zip_longest
from typing import NamedTuple

from pisess_cli.core.context import summary_prompts
from pisess_cli.core.context.conversation_text import conversation_text
from pisess_cli.core.context.file_lists import FileLists, FileOperations
from pisess_cli.core.context.messages import entry_messages, project_entry
from pisess_cli.core.context.projection import context_edits
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.format.content import BRANCH_SUMMARY_PREAMBLE
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, defined
from pisess_cli.core.format.times import parse_ms

BUDGET_TOKENS = 128_000 - 16_384
"""Pi's default: a context window less what it reserves for the answer (PI_SEMANTICS F)."""
_SUMMARIES = ("branch_summary", "compaction")


class LeftBranch(NamedTuple):
    """The entries that are left, oldest first, and the entry that they begin below; None for the root."""

    entries: list[Entry]
    common_ancestor: Entry | None


class BranchPreparation(NamedTuple):
    """A branch summary before it is written: the messages to summarise, oldest first; their tokens; the files."""

    messages: list[JsonObject]
    total_tokens: int
    file_lists: FileLists


def collect_entries(old: Iterable[Entry], target: Iterable[Entry]) -> LeftBranch:
    """What one leaves by going from the end of the path `old` to the end of the path `target`, both newest first.

    Nothing if the target is the old leaf or below it. Of the paths no more is read than it takes to find where they
    part.
    """
    on_old: dict[int, Entry] = {}
    on_target: set[int] = set()
    common: Entry | None = None
    for one, other in zip_longest(old, target):
        if one is not None:
            on_old[id(one)] = one
        if other is not None:
            on_target.add(id(other))
        common = next((entry for entry in (one, other) if id(entry) in on_old and id(entry) in on_target), None)
        if common is not None:
            break
    left = list(takewhile(lambda entry: entry is not common, on_old.values()))
    left.reverse()
    return LeftBranch(left, common)


def prepare_branch_entries(entries: Sequence[Entry], budget: int = 0) -> BranchPreparation:
    """The messages of the newest entries that fit into the budget of tokens; 0 or less: all of them.

    Tool results are left out. Edits among the entries count. The first entry that does not fit ends it, but a summary
    is taken all the same while a tenth of the budget is free. The file lists of all earlier branch summaries go in.
    """
    operations = FileOperations()
    for entry in entries:
        if entry.type == "branch_summary":
            operations.add_details(entry.value)
    edits = context_edits(entries)
    messages: list[JsonObject] = []
    total = 0
    for entry in reversed(entries):
        message = _message(entry, edits.get(entry.key))
        if message is None:
            continue
        operations.add_message(message)
        tokens = estimate_tokens(message)
        is_full = 0 < budget < total + tokens
        if is_full and not (entry.type in _SUMMARIES and total < budget * 0.9):
            break
        messages.append(message)
        total += tokens
        if is_full:
            break
    messages.reverse()
    return BranchPreparation(messages, total, operations.lists())


def _message(entry: Entry, edit: Entry | None) -> JsonObject | None:
    if entry.type == "branch_summary":
        # Unlike in a context, an empty one counts too, and edits do not change it.
        value = entry.value
        summary, from_id = value.get("summary", UNDEFINED), value.get("fromId", UNDEFINED)
        timestamp = parse_ms(entry.timestamp)
        return defined({"role": "branchSummary", "summary": summary, "fromId": from_id, "timestamp": timestamp})
    if entry.type == "compaction":
        return entry_messages(entry)[-1]
    if entry.role == "toolResult" or entry.type not in ("message", "custom_message"):
        return None
    return next(iter(project_entry(entry, edit)), None)


def branch_prompt(preparation: BranchPreparation, instructions: str | None = None) -> str:
    """What a summarizer is asked."""
    return summary_prompts.branch_prompt(conversation_text(preparation.messages), instructions)


def branch_template(preparation: BranchPreparation) -> str:
    """What an editor opens on; `summaries.read_template` reads what comes back."""
    return summary_prompts.branch_template(conversation_text(preparation.messages))


def finish_branch_summary(preparation: BranchPreparation, text: str) -> str:
    """The text as the branch summary holds it: introduced, file lists at its end. Raises `Refused` if it is empty."""
    return f"{BRANCH_SUMMARY_PREAMBLE}{summary_prompts.checked_summary(text)}{preparation.file_lists.as_text()}"
