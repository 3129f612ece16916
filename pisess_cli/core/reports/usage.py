"""What a session cost, by model, as Pi counts it (PI_SEMANTICS I)."""

from collections.abc import Iterable
from typing import NamedTuple

from pisess_cli.core.context.tokens import USAGE_PARTS
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, as_number, shown

UNATTRIBUTED = "Tools/summaries"
"""The key of usage that names no model: of tool results and of summaries."""


class EntryUsage(NamedTuple):
    """The usage that an entry carries and the key it counts under: `provider/model`, or `UNATTRIBUTED`."""

    key: str
    usage: JsonObject

    @property
    def tokens(self) -> float:
        """All tokens of it, those from and to the cache too."""
        return sum(as_number(self.usage.get(part)) or 0 for part in USAGE_PARTS)

    @property
    def cost(self) -> float:
        """What it cost in all."""
        cost = self.usage.get("cost")
        return as_number(cost.get("total")) or 0 if isinstance(cost, dict) else 0


class UsageRow(NamedTuple):
    """The tokens and the cost of all usage with one key."""

    key: str
    tokens: float
    cost: float


def usage_of(entry: Entry) -> EntryUsage | None:
    """The usage that an entry carries, if it does."""
    key = UNATTRIBUTED
    if entry.role == "assistant":
        carrier = entry.message
        # The model that really answered counts before the one that was asked.
        key = _model_key(carrier, "model" if carrier.get("responseModel") is None else "responseModel")
    elif entry.role == "toolResult":
        carrier = entry.message
    elif entry.type in ("usage", "compaction", "branch_summary"):
        carrier = entry.value
        key = _model_key(carrier, "model") if entry.type == "usage" else key
    else:
        return None
    usage = carrier.get("usage")
    return EntryUsage(key, usage) if isinstance(usage, dict) else None


def _model_key(carrier: JsonObject, field: str) -> str:
    return f"{shown(carrier.get('provider', UNDEFINED))}/{shown(carrier.get(field, UNDEFINED))}"


def usage_breakdown(entries: Iterable[Entry]) -> list[UsageRow]:
    """What all entries of a session cost, of every branch: one row for each key, the dearest first.

    Rows without tokens and cost are left out; of rows that cost the same the one met first comes first.
    """
    totals: dict[str, UsageRow] = {}
    for entry in entries:
        used = usage_of(entry)
        if used is not None:
            _, tokens, cost = totals.get(used.key, (used.key, 0, 0))
            totals[used.key] = UsageRow(used.key, tokens + used.tokens, cost + used.cost)
    rows = [row for row in totals.values() if row.tokens > 0 or row.cost > 0]
    return sorted(rows, key=lambda row: -row.cost)
