"""What a changed copy of a session is without: in words, and as JSON."""

from collections.abc import Iterator
from pathlib import Path

from pisess_cli.core.copies.prune import Savings
from pisess_cli.core.copies.redact import Redaction
from pisess_cli.core.format.javascript import JsonObject


def savings_in_words(savings: Savings, branches: int) -> str:
    """How much smaller a pruned copy is, in one line."""
    sizes = f"{savings.bytes_before:,} to {savings.bytes_after:,} bytes"
    return f"{sizes}, {savings.entries_before:,} to {savings.entries_after:,} entries, without {_branches(branches)}"


def _branches(count: int) -> str:
    return "1 branch" if count == 1 else f"{count:,} branches"


def savings_as_json(path: Path, savings: Savings, branches: int) -> JsonObject:
    """The same, with the name of the copy."""
    return {
        "path": str(path),
        "bytesBefore": savings.bytes_before,
        "bytesAfter": savings.bytes_after,
        "entriesBefore": savings.entries_before,
        "entriesAfter": savings.entries_after,
        "branchesDropped": branches,
    }


def redaction_in_words(redaction: Redaction) -> Iterator[str]:
    """What was taken out of a redacted copy, and what was not, a line each."""
    yield f"taken out: {redaction.replaced:,}"
    if redaction.left:
        yield f"left in ids, types and names, which hold the session together: {redaction.left:,}"
    for given in redaction.unmet:
        yield f"found nowhere: {given}"
    if redaction.unreadable:
        yield f"lines that are no JSON, left out: {redaction.unreadable:,}"
    if redaction.changes_directory:
        yield "the session's directory is among what was taken out; Pi needs one that is there"


def redaction_as_json(path: Path, redaction: Redaction) -> JsonObject:
    """The same, with the name of the copy."""
    return {
        "path": str(path),
        "replaced": redaction.replaced,
        "left": redaction.left,
        "linesLeftOut": redaction.unreadable,
    }
