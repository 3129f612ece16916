"""Versions 1 and 2 as version 3 (PI_SEMANTICS A). Lines are changed field by field: all else keeps its bytes."""

import json
from collections.abc import Sequence

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import CURRENT_VERSION, Entry, Header
from pisess_cli.core.format.entry_fields import field_bytes, with_fields
from pisess_cli.core.format.ids import derived_ids


def migrate(header: Header, kept: Sequence[Entry]) -> list[Entry]:
    """The entries as a current file would hold them, in the order of `kept`, which has the header lines too.

    New ids are derived from the session's id and the entry's place, so that the same file gives the same ids each time.
    """
    lines = [entry.raw for entry in kept]
    if header.version < 2:
        lines = _chain(header, kept)
    return [_reread(_to_version_3(line, entry)) for line, entry in zip(lines, kept, strict=True)]


def _reread(line: bytes) -> Entry:
    value = jsonl.decode(line)
    return Entry(line, 0, len(line), value if isinstance(value, dict) else {})


def _chain(header: Header, kept: Sequence[Entry]) -> list[bytes]:
    # Version 1 -> 2: ids, parents, and the index of the first kept entry as an id.
    fresh = derived_ids(header.id)
    ids: list[str | None] = []
    taken: set[str] = set()
    lines: list[bytes] = []
    parent: str | None = None
    for entry in kept:
        if entry.type == "session" or not isinstance(jsonl.decode(entry.raw), dict):
            ids.append(None)
            lines.append(entry.raw)
            continue
        entry_id = next(candidate for candidate in fresh if candidate not in taken)
        taken.add(entry_id)
        ids.append(entry_id)
        changes: dict[str, bytes | None] = {
            "id": json.dumps(entry_id).encode(),
            "parentId": json.dumps(parent).encode(),
        }
        if entry.type == "compaction":
            changes |= _first_kept(entry, ids)
        lines.append(with_fields(entry.raw, changes))
        parent = entry_id
    return lines


def _first_kept(entry: Entry, ids: Sequence[str | None]) -> dict[str, bytes | None]:
    index = entry.value.get("firstKeptEntryIndex")
    if isinstance(index, bool) or not isinstance(index, int | float):
        return {}
    changes: dict[str, bytes | None] = {"firstKeptEntryIndex": None}
    # Only entries that the walk has reached have an id yet; what points further down keeps nothing.
    if index == index // 1 and 0 <= index < len(ids) and (first_kept := ids[int(index)]) is not None:
        changes["firstKeptEntryId"] = json.dumps(first_kept).encode()
    return changes


def _to_version_3(line: bytes, entry: Entry) -> bytes:
    if entry.type == "session":
        return with_fields(line, {"version": str(CURRENT_VERSION).encode()})
    if entry.role != "hookMessage":
        return line
    message = field_bytes(line, "message") or b"{}"
    return with_fields(line, {"message": with_fields(message, {"role": b'"custom"'})})
