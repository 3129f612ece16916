"""New session files from old ones: whole copies, and the path to one entry (PI_DETAILS G4). Lines keep their bytes."""

from collections.abc import Iterator, Sequence

from msgspec import UnsetType

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry, map_key
from pisess_cli.core.format.entry_fields import with_fields
from pisess_cli.core.format.ids import new_id
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe
from pisess_cli.core.format.new_entries import build_entry, line_of
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import migrated_lines
from pisess_cli.core.tree.tree import Tree

CONVERSATION_ROLES = ("user", "assistant")


def has_conversation(entries: Sequence[Entry]) -> bool:
    """Whether there is a user or assistant message: only then a new session gets a file (SPEC 6)."""
    return any(entry.role in CONVERSATION_ROLES for entry in entries)


def copied_lines(session: Session, header: JsonObject) -> tuple[list[bytes], tuple[SessionFile, int] | None]:
    """A copy of a whole session under a new header: chunks, and the part of the old file that follows as it stands.

    A file of an old version is given as chunks alone, migrated. Unlike Pi's forkFrom, bad lines stay.
    """
    file = session.file
    if not file.header.is_old:
        return [line_of(header)], (file, file.header_end)
    lines = (line for line, entry in migrated_lines(session.whole) if entry is None or entry.type != "session")
    return [line_of(header), *lines], None


def branched_lines(tree: Tree, path: Sequence[Entry], header: JsonObject) -> Iterator[bytes]:
    """The lines of a session that has a path alone: its entries but labels, re-chained, then their labels made anew."""
    yield line_of(header)
    kept = [entry for entry in path if entry.type != "label"]
    stand_in = _labels_stand_in(path)
    parent: Maybe = None
    for entry in kept:
        yield _rechained(entry, parent, stand_in) + b"\n"
        parent = entry.id
    yield from _labels_anew(tree, kept, parent)


def _labels_stand_in(path: Sequence[Entry]) -> dict[object, Maybe]:
    # For each label entry on the path, the id of the next entry that is kept.
    stand_in: dict[object, Maybe] = {}
    waiting: list[object] = []
    for entry in path:
        if entry.type == "label":
            waiting.append(entry.key)
            continue
        stand_in.update(dict.fromkeys(waiting, entry.id))
        waiting.clear()
    return stand_in


def _rechained(entry: Entry, parent: Maybe, stand_in: dict[object, Maybe]) -> bytes:
    changes: dict[str, bytes | None] = {}
    if entry.parent_key != map_key(parent):
        changes["parentId"] = None if isinstance(parent, UnsetType) else jsonl.stringify(parent).encode()
    if entry.type == "compaction":
        first_kept = map_key(entry.value.get("firstKeptEntryId", UNDEFINED))
        new = stand_in.get(first_kept)
        if first_kept != entry.key and not isinstance(new, UnsetType) and new is not None:
            changes["firstKeptEntryId"] = jsonl.stringify(new).encode()
    return with_fields(entry.raw, changes) if changes else entry.raw


def _labels_anew(tree: Tree, kept: Sequence[Entry], parent: Maybe) -> Iterator[bytes]:
    ids = {entry.key for entry in kept}
    parent = parent or None
    for target, label in tree.labels.items():
        if target not in ids or not isinstance(target, str):
            continue
        label_id = new_id(ids)
        ids.add(label_id)
        made = build_entry(
            "label",
            {"targetId": target, "label": label.text},
            entry_id=label_id,
            parent_id=parent,
            timestamp=label.timestamp,
        )
        yield line_of(made)
        parent = label_id
