"""A repaired copy of a session: what is sound keeps its bytes, what nobody can read goes, what misleads is set right.

Only fields that name other entries are changed, and only where what they name is of no use. Everything that `findings`
calls an error is gone from the copy; the file itself stays as it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pisess_cli.core.copies.file_scan import FileScan
from pisess_cli.core.copies.findings import shorten
from pisess_cli.core.copies.fsck import has_message
from pisess_cli.core.copies.salvage import Salvage
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.content import text_block
from pisess_cli.core.format.entry_fields import with_fields
from pisess_cli.core.format.ids import derived_ids
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe
from pisess_cli.core.format.new_entries import build_entry, line_of
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.session.reflog import CHECKOUT
from pisess_cli.core.storage.new_files import create
from pisess_cli.core.tree.references import Links, ancestry, depth_first
from pisess_cli.core.tree.tool_pairs import Unpaired, omitted, pair_tools

_POINTING_TYPES = ("context_edit", "label")
_LOST_IN_A_ROW = 100


class Repair:
    """A plan for a repaired copy: `actions` are what is done, in the file's order; nothing is written yet."""

    def __init__(self, scan: FileScan) -> None:
        self._salvage = Salvage(scan)
        self._entries = [entry for _, entry in self._salvage.found]
        self._links = Links(self._entries)
        # The same ones each time, so that a dry run says what will be.
        candidates = derived_ids(f"{scan.header.id} repaired")
        self._fresh_ids = (candidate for candidate in candidates if candidate not in self._links.places)
        self._ids = self._unique_ids()
        self._parents = self._mended_parents()
        pairs = pair_tools(self._entries, self._parents, omitted(self._entries, self._links))
        self._gone = self._useless(pairs.stray_results)
        self._added = self._missing_results(pairs.unanswered)
        self._changes: dict[int, dict[str, bytes | None]] = {}
        self._checkout: JsonObject | None = None
        self._settle()
        self.actions = sorted(self._salvage.actions, key=lambda action: action.line)

    def lines(self) -> Iterator[bytes]:
        """The lines of the copy, each with its newline."""
        yield self._salvage.header + b"\n"
        for place, entry in enumerate(self._entries):
            if place not in self._gone:
                changes = self._changes.get(place)
                yield (with_fields(entry.raw, changes) if changes else entry.raw) + b"\n"
                yield from map(line_of, self._added.get(place, ()))
        if self._checkout:
            yield line_of(self._checkout)

    def write(self, path: Path) -> None:
        """Writes the copy, private to the user. Raises `PisessError` if the name is taken or the system refuses."""
        create(path, self.lines())

    def _act(self, place: int, what: str) -> None:
        self._salvage.act(self._salvage.found[place], what)

    def _unique_ids(self) -> list[str]:
        # Of entries that share an id the last one keeps it, since that is the one that Pi has shown under it.
        ids: list[str] = []
        for place, entry in enumerate(self._entries):
            places = self._links.places.get(entry.id) if isinstance(entry.id, str) else None
            if places and places[-1] == place:
                ids.append(str(entry.id))
                continue
            ids.append(next(self._fresh_ids))
        return ids

    def _mended_parents(self) -> list[int | None]:
        parents, breaks, groups = ancestry(self._entries, self._links)
        stand_ins: dict[str, int | None] = {}
        for place in sorted(breaks):
            named = self._entries[place].parent_id
            # What was written below one lost entry goes below one entry again.
            if breaks[place] == "missing-parent" and isinstance(named, str) and named:
                if named not in stand_ins:
                    stand_ins[named] = self._stand_in(named, place)
                parent = stand_ins[named]
            else:
                parent = _before(place)
            if parent is not None and groups.join(place, parent):
                parents[place] = parent
        return parents

    def _stand_in(self, lost: str, place: int) -> int | None:
        is_known, parent = self._above_lost(lost, place)
        return parent if is_known else _before(place)

    def _above_lost(self, lost: str, at: int) -> tuple[bool, int | None]:
        # What stands above a lost entry, if that is known; None: it was a root.
        for _ in range(_LOST_IN_A_ROW):
            if lost not in self._salvage.lost_parents:
                break
            parent = self._salvage.lost_parents[lost]
            place = self._links.find(parent, at)
            if parent is None or place is not None:
                return True, place
            lost = parent
        return False, None

    def _useless(self, stray_results: Iterable[Unpaired]) -> set[int]:
        # Entries that mean nothing, or that a model's provider refuses; and what edits or labels only them.
        gone = {result.place: "its tool call is not above it" for result in stray_results}
        pointing: dict[int, list[int]] = {}
        for place, entry in enumerate(self._entries):
            if entry.type == "message" and not has_message(entry):
                gone[place] = "it holds no message"
            elif entry.type in _POINTING_TYPES:
                target = self._links.find(entry.target_id, place)
                if target is None:
                    gone[place] = "what it names is not in the file"
                else:
                    pointing.setdefault(target, []).append(place)
        todo = list(gone)
        while todo:
            for place in pointing.get(todo.pop(), ()):
                if place not in gone:
                    gone[place] = "what it names is left out"
                    todo.append(place)
        for place, reason in gone.items():
            self._act(place, f"left out: {reason}")
        return set(gone)

    def _missing_results(self, calls: Iterable[Unpaired]) -> dict[int, list[JsonObject]]:
        # Right below the message that has the calls, one below the other: what Pi tells models in their place, too.
        added: dict[int, list[JsonObject]] = {}
        for place, call_id, tool, _ in calls:
            if not isinstance(call_id, str):
                continue
            entry = self._entries[place]
            message: JsonObject = {
                "role": "toolResult",
                "toolCallId": call_id,
                "toolName": tool,
                "content": [text_block("No result was recorded.")],
                "isError": True,
                "timestamp": parse_ms(entry.timestamp),
            }
            result = build_entry(
                "message",
                {"message": message},
                entry_id=next(self._fresh_ids),
                parent_id=self._end(place, added),
                timestamp=entry.timestamp,
            )
            added.setdefault(place, []).append(result)
            self._act(place, f"a result put below it for the call {shorten(call_id)}")
        return added

    def _end(self, place: int, added: Mapping[int, Sequence[JsonObject]]) -> str:
        # What goes on below an entry goes on from this id.
        return str(added[place][-1]["id"]) if place in added else self._ids[place]

    def _settle(self) -> None:
        # Goes down every path without what is gone, and finds the fields that have to say something else.
        path: list[int] = []
        # How many entries of the path stand above an entry of it, also where that is gone itself.
        depth: dict[int, int] = {}
        for place, entering in depth_first(self._parents):
            if not entering:
                del depth[place]
                if place not in self._gone:
                    path.pop()
                continue
            depth[place] = len(path)
            if place not in self._gone:
                self._set_fields(place, path, depth)
                path.append(place)
            if place == self._salvage.leaf:
                self._keep_leaf(place, path[-1] if path else None)

    def _keep_leaf(self, leaf: int, kept: int | None) -> None:
        # The file's last entry says where Pi goes on. Where that is left out, a checkout says it.
        last = max((place for place in range(len(self._entries)) if place not in self._gone), default=None)
        if kept == last:
            return
        self._checkout = build_entry(
            "custom",
            {"customType": CHECKOUT, "data": {"from": None if last is None else self._ids[last]}},
            entry_id=next(self._fresh_ids),
            parent_id=None if kept is None else self._end(kept, self._added),
            timestamp=self._entries[leaf].timestamp,
        )
        self._act(leaf, "an entry put at the end, so that the leaf stays where it is")

    def _set_fields(self, place: int, path: Sequence[int], depth: dict[int, int]) -> None:
        entry = self._entries[place]
        fields: list[tuple[str, Maybe, str | None]] = [
            ("id", entry.id, self._ids[place]),
            ("parentId", entry.parent_id, self._end(path[-1], self._added) if path else None),
        ]
        if entry.type in _POINTING_TYPES:
            fields.append(("targetId", entry.target_id, self._named(entry.target_id, place)))
        elif entry.type == "compaction":
            first_kept = entry.value.get("firstKeptEntryId", UNDEFINED)
            fields.append(("firstKeptEntryId", first_kept, self._first_kept(first_kept, place, path, depth)))
        elif entry.type == "branch_summary":
            left = entry.value.get("fromId", UNDEFINED)
            named = self._named(left, place)
            if named is not None:
                fields.append(("fromId", left, named))
        changes: dict[str, bytes | None] = {}
        for key, stored, wanted in fields:
            if stored != wanted:
                changes[key] = jsonl.stringify(wanted).encode()
                self._act(place, f"{key}: {shorten(stored)} becomes {wanted or 'null'}")
        if changes:
            self._changes[place] = changes

    def _named(self, reference: Maybe, at: int) -> str | None:
        place = self._links.find(reference, at)
        return None if place is None else self._ids[place]

    def _first_kept(self, named: Maybe, place: int, path: Sequence[int], depth: dict[int, int]) -> str:
        # What is named, or the next entry of the path where that is lost; else nothing is kept, as Pi reads it too.
        target = self._links.find(named, place)
        start: int | None = None
        if target is not None:
            start = depth.get(target) if target != place else None
        elif isinstance(named, str):
            is_known, above = self._above_lost(named, place)
            if is_known:
                start = 0 if above is None else depth.get(above)
                if start is not None and above is not None and above not in self._gone:
                    start += 1
        return self._ids[path[start] if start is not None and start < len(path) else place]


def _before(place: int) -> int | None:
    # Sessions are written from top to bottom: what stands before an entry most likely is its parent.
    return place - 1 if place else None
