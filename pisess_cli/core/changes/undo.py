"""Taking the last write back, by appending: nothing that was written goes (SPEC 9).

A write is a checkout, a branch summary, a context edit, a compaction, a label, or a session name, whoever made it. As
such entries stand behind all messages or before the next one, what counts for them before the write is what the file
says up to there. The leaf goes back to the entry right before the write, which also takes edits and compactions back:
those count on their path alone. Labels and the name count from anywhere in the file, so they are set to what they were.
An entry of its own records what was taken back, so that the next undo goes one write further.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from pisess_cli.core.errors import NotFound, Refused
from pisess_cli.core.format.entries import Entry, Key, Label, label_change, read_labels, session_name
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.reflog import UNDO, is_checkout, is_undo
from pisess_cli.core.session.session import Session

_ON_THE_PATH = ("context_edit", "compaction", "branch_summary")
_FROM_ANYWHERE = ("label", "session_info")


class LabelBefore(NamedTuple):
    """A label entry, and the label that its target had before."""

    entry: Entry
    before: Label | None


class Undo(NamedTuple):
    """What takes a write back.

    `write`: the entries of the write, oldest first. `moves_leaf`: whether the leaf goes back to `leaf` (None: before
    the first entry). `labels`: what its label entries changed. `name`: the session's name before, for a write of it.
    """

    write: list[Entry]
    moves_leaf: bool
    leaf: Entry | None
    labels: list[LabelBefore]
    name: str | None


def plan_undo(session: Session) -> Undo:
    """How the last write that was not taken back yet can be.

    Only what was written since the newest message is looked at: Pi has gone on from all that is older. Raises
    `NotFound` where nothing is left to take back, `Refused` where entries without ids stand in the way.
    """
    done: set[Key] = set()
    entries = session.newest_first()
    for position, entry in enumerate(entries):
        if is_undo(entry):
            done |= _ids_in(entry)
        elif entry.type in (*_ON_THE_PATH, *_FROM_ANYWHERE) or is_checkout(entry):
            if entry.key not in done:
                return _checked(_plan(session, entry, entries, position))
        elif entry.is_history:
            break
    raise NotFound(
        f"nothing to undo: no write since the newest message is left ({session.path})",
        hint="pisess reflog shows where the leaf has been, pisess checkout moves it",
    )


def _ids_in(undo: Entry) -> set[Key]:
    # What an earlier undo took back, and what it wrote to do so.
    data = undo.value.get("data")
    lists = [data.get("undone"), data.get("restored")] if isinstance(data, dict) else []
    return {item for ids in lists if isinstance(ids, list) for item in ids if isinstance(item, str)}


def _plan(session: Session, entry: Entry, older: Iterator[Entry], position: int) -> Undo:
    if entry.type == "label":
        all_entries = session.tree.entries
        place = len(all_entries) - 1 - position
        labels = _label_write(all_entries, place)
        start = place + 1 - len(labels)
        before = all_entries[start - 1] if start else None
        write = [label.entry for label in labels]
        return Undo(write, _has_moved(write[0], before), before, labels, None)
    before = next(older, None)
    if entry.type == "session_info":
        known = chain([before] if before else [], older)
        info = next((above for above in known if above.type == "session_info"), None)
        return Undo([entry], _has_moved(entry, before), before, [], session_name(info) if info else None)
    return Undo([entry], moves_leaf=True, leaf=before, labels=[], name=None)


def _has_moved(entry: Entry, before: Entry | None) -> bool:
    # Pi can set a label at another place of the tree: the leaf then goes there with it.
    return bool(entry.parent_id) if before is None else entry.parent_key != before.key


def _label_write(entries: list[Entry], place: int) -> list[LabelBefore]:
    # The label entry at a place, and those right before it that took the same label from other entries: one write, as
    # `label -f` makes it. Who took it away and set it elsewhere in two steps gets both back at once.
    start = place
    if entries[place].value.get("label"):
        while start and _clears_for(entries[start - 1], entries[start]):
            start -= 1
    labels = read_labels(entries[:start])
    found: list[LabelBefore] = []
    for entry in entries[start : place + 1]:
        target, label = label_change(entry)
        found.append(LabelBefore(entry, labels.pop(target, None)))
        if label is not None:
            labels[target] = label
    first = len(found) - 1
    while first and _gave_way(found[first - 1], found[-1]):
        first -= 1
    return found[first:]


def _gave_way(cleared: LabelBefore, taker: LabelBefore) -> bool:
    name = taker.entry.value.get("label")
    elsewhere = cleared.entry.target_id != taker.entry.target_id
    return elsewhere and cleared.before is not None and cleared.before.text == name


def _clears_for(entry: Entry, following: Entry) -> bool:
    return entry.type == "label" and not entry.value.get("label") and following.parent_key == entry.key


def _checked(undo: Undo) -> Undo:
    needed = [*undo.write, *([undo.leaf] if undo.moves_leaf and undo.leaf else [])]
    if not all(isinstance(entry.id, str) and entry.id for entry in needed):
        raise Refused(
            "the last write, or what it was written after, has no id that an undo could name",
            hint="pisess fsck tells what is wrong with the file",
        )
    return undo


def append_undo(appender: Appender, undo: Undo) -> Entry:
    """Takes a write back that was planned with the appender's session; gives the entry that records it."""
    restored = [_restore_label(appender, label) for label in undo.labels]
    if undo.write[-1].type == "session_info":
        restored.append(appender.append("session_info", {"name": undo.name or ""}))
    data: JsonObject = {"undone": [str(entry.id) for entry in undo.write]}
    if restored:
        data["restored"] = [str(entry.id) for entry in restored]
    parent: Maybe = UNDEFINED
    if undo.moves_leaf:
        parent = undo.leaf.id if undo.leaf else None
    return appender.append("custom", {"customType": UNDO, "data": data}, parent_id=parent)


def _restore_label(appender: Appender, label: LabelBefore) -> Entry:
    # A label that comes back has the time at which it was set, as those that Pi makes anew.
    before = label.before
    time = before.timestamp if before and isinstance(before.timestamp, str) else None
    fields = {"targetId": label.entry.target_id, "label": before.text if before else UNDEFINED}
    return appender.append("label", fields, timestamp=time)
