"""What is wrong with a session file: every fault that Pi passes over, chokes on, or leaves behind (SPEC 3 to 5)."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from pisess_cli.core.copies.file_scan import FileScan, Found, Line
from pisess_cli.core.copies.findings import CODES, Finding, shorten
from pisess_cli.core.format.entries import ENTRY_TYPES, ROLES, Entry, is_header
from pisess_cli.core.format.javascript import UNDEFINED, Maybe, shown
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.tree.references import Links, ancestry, depth_first
from pisess_cli.core.tree.tool_pairs import Unpaired, omitted, pair_tools

CLOCK_TOLERANCE_MS = 1000
"""Clocks are set back a little all the time; less than this is no fault."""
TURNS_AT_ONCE_MS = 10_000
"""Two branches that grow in turns faster than this are not one person's going back and forth."""


def check(scan: FileScan) -> list[Finding]:
    """All that is wrong with a session, in the file's order. A session as Pi writes it gives nothing."""
    found = scan.found()
    entries = [one for one in found if isinstance(one.entry.type, str) and one.entry.type != "session"]
    findings = [*_check_lines(scan), *_check_kinds(found), *_check_tree(entries)]
    rank = {code: rank for rank, code in enumerate(CODES)}
    findings.sort(key=lambda finding: (finding.line, rank[finding.code]))
    return findings


def _check_lines(scan: FileScan) -> Iterator[Finding]:
    last = scan.lines[-1]
    for line in scan.lines:
        if line.entry is None:
            yield _lineless(line, is_torn=scan.is_cut_off and line is last)
    if scan.is_cut_off and last.entry:
        yield Finding("no-final-newline", last.number, _id(last.entry), "the last line does not end with a newline")


def _lineless(line: Line, *, is_torn: bool) -> Finding:
    if line.starts > 1 or line.pieces:
        whole = f"{len(line.pieces)} of {line.starts} entries are whole"
        return Finding("interleaved", line.number, None, f"entries were written into one line, {whole}: {line.fault}")
    if is_torn:
        return Finding("torn-tail", line.number, None, f"the last line is cut off: {line.fault}")
    code = "bad-line" if line.fault else "not-entry"
    return Finding(code, line.number, None, f"no JSON: {line.fault}" if line.fault else "the line holds no entry")


def _check_kinds(found: Sequence[Found]) -> Iterator[Finding]:
    # What an entry tells of itself alone.
    first = found[0] if found else None
    if first is None or not is_header(first.entry):
        header = next((one for one in found if is_header(one.entry)), None)
        place = f", it is on line {header.line}" if header else ""
        yield Finding("missing-header", first.line if first else 1, None, f"no session header stands first{place}")
    seen_header = False
    for line, entry in found:
        type_ = entry.type
        if not isinstance(type_, str):
            yield Finding("not-entry", line, _id(entry), "the line holds no entry, or one without a type")
        elif type_ == "session":
            if seen_header:
                yield Finding("extra-header", line, _id(entry), "another session header")
            seen_header = seen_header or is_header(entry)
        else:
            yield from _check_entry(line, entry)


def _check_entry(line: int, entry: Entry) -> Iterator[Finding]:
    if not isinstance(entry.id, str) or not entry.id:
        yield Finding("missing-id", line, None, "the entry has no id")
    if entry.type not in ENTRY_TYPES:
        yield Finding("unknown-type", line, _id(entry), f"an entry of an unknown type ({shorten(entry.type)})")
    if entry.type == "message":
        if not has_message(entry):
            yield Finding("no-message", line, _id(entry), "the entry holds no message, or one without a role")
        elif entry.role not in ROLES:
            yield Finding("unknown-role", line, _id(entry), f"a message of an unknown role ({shorten(entry.role)})")


def has_message(entry: Entry) -> bool:
    """Whether a message entry holds a message that Pi can read at all."""
    return isinstance(entry.role, str)


def _check_tree(found: Sequence[Found]) -> Iterator[Finding]:
    # What entries say of each other.
    lines = [one.line for one in found]
    entries = [one.entry for one in found]
    links = Links(entries)
    tree = ancestry(entries, links)
    times = [parse_ms(entry.timestamp) for entry in entries]

    def finding(code: str, place: int, message: str) -> Finding:
        return Finding(code, lines[place], _id(entries[place]), message)

    for place, other in _repeated(links):
        is_same = entries[place].raw == entries[other].raw
        what = "the whole line is the same as" if is_same else f"the id {shorten(entries[place].id)} is that of"
        yield finding("duplicate-id", place, f"{what} line {lines[other]}")
    for place, reason in tree.breaks.items():
        yield finding(reason, place, _BREAKS[reason].format(shorten(entries[place].parent_id)))
    for place, target in _without_target(entries, links):
        code, what = _TARGETS[shown(entries[place].type)]
        yield finding(code, place, f"{what} is not in the file ({shorten(target)})")
    for place, first_kept in _without_first_kept(entries, links, tree.parents):
        yield finding("first-kept", place, f"what it keeps first is not on its path ({shorten(first_kept)})")
    for code, message, unpaired in _unpaired(entries, tree.parents, links):
        call = f"{shorten(unpaired.tool)}, {shorten(unpaired.call_id)}"
        yield finding(code, unpaired.place, f"{message} ({call})")
    for place, parent in _at_once(entries, tree.parents, times):
        yield finding(
            "two-writers", place, f"it goes on from line {lines[parent]}, while the lines between went on elsewhere"
        )
    for place, parent, late_ms in _backwards(entries, tree.parents, times):
        yield finding(
            "time-backwards", place, f"it is {late_ms / 1000:g} s older than its parent, line {lines[parent]}"
        )
    for place, time in enumerate(times):
        if time is None:
            yield finding("bad-time", place, f"the timestamp is no date ({shorten(entries[place].timestamp)})")


_BREAKS = {
    "missing-parent": "its parent is not in the file ({})",
    "self-parent": "it is its own parent ({})",
    "cycle": "its parents lead back to it, beginning with ({})",
}
_TARGETS = {
    "context_edit": ("edit-target", "the entry that it edits"),
    "label": ("label-target", "the entry that it labels"),
}


def _repeated(links: Links) -> Iterator[tuple[int, int]]:
    # Each place whose id was there before, and the place before.
    for places in links.places.values():
        yield from zip(places[1:], places, strict=False)


def _without_target(entries: Sequence[Entry], links: Links) -> Iterator[tuple[int, Maybe]]:
    for place, entry in enumerate(entries):
        if entry.type in _TARGETS and links.find(entry.target_id, place) is None:
            yield place, entry.target_id


def _without_first_kept(
    entries: Sequence[Entry], links: Links, parents: Sequence[int | None]
) -> Iterator[tuple[int, Maybe]]:
    on_path: set[int] = set()
    for place, entering in depth_first(parents):
        if not entering:
            on_path.discard(place)
            continue
        on_path.add(place)
        if entries[place].type == "compaction":
            first_kept = entries[place].value.get("firstKeptEntryId", UNDEFINED)
            # Its own id is what a compaction has that keeps nothing.
            if links.find(first_kept, place) not in on_path and first_kept != entries[place].id:
                yield place, first_kept


def _unpaired(
    entries: Sequence[Entry], parents: Sequence[int | None], links: Links
) -> Iterator[tuple[str, str, Unpaired]]:
    pairs = pair_tools(entries, parents, omitted(entries, links))
    for result in pairs.stray_results:
        message = "a second result of one call" if result.again else "a result without a call"
        yield "result-without-call", message, result
    for call in pairs.unanswered:
        yield "call-without-result", "a call without a result", call
    for call in pairs.pending:
        yield "pending-call", "a call without a result yet", call


def _at_once(
    entries: Sequence[Entry], parents: Sequence[int | None], times: Sequence[int | None]
) -> Iterator[tuple[int, int]]:
    """The entries that one writer would not have written there, and their parents.

    One writer moves its leaf between turns: the user says something, or bookkeeping comes first. So an answer that goes
    on from an entry which is no longer the newest is another writer's; and so are branches that grow by turns in no
    time. An answer anew, to what was answered already, and entries that no conversation is lost beside, are neither.
    """
    history = list(accumulate((entry.is_history for entry in entries), initial=0))
    continued: set[int] = set()
    resumed_before: int | None = None
    for place, parent in enumerate(parents):
        if parent is None:
            continue
        entry = entries[place]
        if parent < place and history[place] > history[parent + 1]:
            resumes = parent not in continued
            by_turns = resumes and resumed_before is not None and resumed_before > parent
            resumed_before = place if resumes and _is_quick(times[parent], times[place]) else resumed_before
            answers = entry.role == "toolResult" or (entry.role == "assistant" and resumes)
            if answers or (by_turns and resumed_before == place):
                yield place, parent
        if entry.is_history:
            continued.add(parent)


def _is_quick(before: int | None, after: int | None) -> bool:
    return before is not None and after is not None and 0 <= after - before <= TURNS_AT_ONCE_MS


def _backwards(
    entries: Sequence[Entry], parents: Sequence[int | None], times: Sequence[int | None]
) -> Iterator[tuple[int, int, int]]:
    for place, parent in enumerate(parents):
        # A label that was made anew in a new session keeps its old time (PI_DETAILS G4).
        if parent is None or entries[place].type == "label":
            continue
        before, after = times[parent], times[place]
        if before is not None and after is not None and before - after >= CLOCK_TOLERANCE_MS:
            yield place, parent, before - after


def _id(entry: Entry) -> str | None:
    return entry.id if isinstance(entry.id, str) else None
