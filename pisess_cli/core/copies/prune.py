"""A copy of a session without some of its branches, and without what takes most room: the rest keeps its bytes.

What a branch alone has goes; what others share stays. Some of what was written on a branch that goes is about the rest,
and stays with it: labels of entries that stay, the session's name, results of tool calls that stay. What is left
without what it names goes, too: labels and context edits of entries that are gone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pisess_cli.core.copies.trimming import Trimming
from pisess_cli.core.errors import Refused
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry, Key, map_key
from pisess_cli.core.format.entry_fields import with_fields
from pisess_cli.core.format.ids import new_id
from pisess_cli.core.format.javascript import UNDEFINED, Maybe
from pisess_cli.core.format.new_entries import build_entry, line_of
from pisess_cli.core.format.times import parse_ms
from pisess_cli.core.session.branches import Branch, containing, list_branches
from pisess_cli.core.session.reflog import CHECKOUT
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.whole_file import migrated_lines
from pisess_cli.core.tree.tree import Tree, climb

_POINTING_TYPES = ("context_edit", "label")
_TURN_ROLES = ("user", "assistant")


class Choice(NamedTuple):
    """Which branches go: those that hold one of the entries, that ended before a time, or that were merged.

    A branch is merged into an entry whose path has a branch summary of it, or of a branch that has one: a branch
    summary is to a session what a merge is to Git. `older_than` is in milliseconds. Of all these, those stay that hold
    one of the entries `kept`, and the current one. If only `kept` is given, all others go.
    """

    holding: Sequence[Entry] = ()
    older_than: float | None = None
    merged_into: Entry | None = None
    kept: Sequence[Entry] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it names no branch at all."""
        return self.names_none and not self.kept

    @property
    def names_none(self) -> bool:
        """Whether it names no branch that goes, though maybe some that stay."""
        return not self.holding and self.older_than is None and self.merged_into is None


def chosen_branches(session: Session, choice: Choice) -> list[Branch]:
    """The branches that go, those written last first. Raises `Refused` where one is asked for that cannot."""
    branches = list_branches(session)
    kept = {branch.tip.key for entry in choice.kept for branch in _holding(session, branches, entry)}
    held = {branch.tip.key: branch for entry in choice.holding for branch in _holding(session, branches, entry)}
    if any(branch.is_current and branch.tip.key not in kept for branch in held.values()):
        raise Refused(
            "the current branch cannot go: it holds an entry that was named",
            hint="pisess checkout goes to another branch, --keep HEAD keeps this one",
        )
    merged = set() if choice.merged_into is None else _merged(session, choice.merged_into)

    def goes(branch: Branch) -> bool:
        tip = branch.tip
        if branch.is_current or tip.key in kept:
            return False
        return choice.names_none or tip.key in held or tip.key in merged or _is_older(tip, choice.older_than)

    return [branch for branch in branches if goes(branch)]


def _holding(session: Session, branches: list[Branch], entry: Entry) -> list[Branch]:
    # What stands below a tip is no branch of its own.
    found = containing(session, branches, entry)
    above = None if found else next(session.history(entry), None)
    return containing(session, branches, above) if above else found


def _is_older(tip: Entry, limit: float | None) -> bool:
    time = parse_ms(tip.timestamp)
    return limit is not None and time is not None and time < limit


def _merged(session: Session, start: Entry) -> set[Key]:
    # All that can be reached from an entry, up its path and over the branch summaries there, but for its own path.
    own = {entry.key for entry in session.walk(start)}
    reached: set[Key] = set()
    todo = [start]
    while todo:
        for entry in climb(session.tree.get, todo.pop()):
            if entry.key in reached:
                break
            reached.add(entry.key)
            left = session.get(entry.value.get("fromId", UNDEFINED)) if entry.type == "branch_summary" else None
            todo += [left] if left else []
    return reached - own


class Savings(NamedTuple):
    """How large a session is, and how large its copy."""

    bytes_before: int
    bytes_after: int
    entries_before: int
    entries_after: int


class Pruning:
    """A plan for a pruned copy: nothing is written yet. `gone`: the keys of the entries that are left out."""

    def __init__(
        self,
        session: Session,
        branches: Iterable[Branch] = (),
        *,
        trimming: Trimming | None = None,
        header: bytes | None = None,
    ) -> None:
        self._session = session
        self._tree = session.tree
        self._header = header
        self.gone = _own_entries(session, branches)
        if self.gone:
            self._keep_what_is_about_the_rest()
            self._drop_what_points_nowhere()
        self._stand_ins = _Nearest(self._tree, lambda entry: entry.key not in self.gone)
        self._changed: dict[int, bytes] = {}
        self._checkout = self._checkout_line()
        self._size = 0
        for place, (line, entry) in enumerate(self._original()):
            new = line if entry is None else self._changed_line(line, entry, trimming or Trimming())
            if new is not line:
                self._changed[place] = new
            self._size += len(new)

    @property
    def is_needed(self) -> bool:
        """Whether the copy would be without anything."""
        return bool(self.gone or self._changed)

    @property
    def savings(self) -> Savings:
        """How much smaller the copy is."""
        entries = self._tree.entries
        staying = sum(entry.key not in self.gone for entry in entries) + bool(self._checkout)
        return Savings(self._session.file.size, self._size + len(self._checkout), len(entries), staying)

    def lines(self) -> Iterator[bytes]:
        """The lines of the copy, each with its newline."""
        for place, (line, _) in enumerate(self._original()):
            yield self._changed.get(place, line)
        if self._checkout:
            yield self._checkout

    def _original(self) -> Iterator[tuple[bytes, Entry | None]]:
        # The lines that stay, as they were; those that are no JSON belong to no branch.
        header = self._header
        for line, entry in migrated_lines(self._session.whole):
            if entry is not None and entry.type == "session":
                yield header or line, None
                header = None
            elif entry is None or entry.key not in self.gone:
                yield line, entry

    def _changed_line(self, line: bytes, entry: Entry, trimming: Trimming) -> bytes:
        changes: dict[str, bytes | None] = {}
        if entry.parent_id and entry.parent_key in self.gone:
            above = self._stand_ins.above(entry)
            # Where ids are double, or lead in a circle, that may be the entry itself.
            changes["parentId"] = b"null" if above is None or above.key == entry.key else _json(above.id)
        if entry.type == "compaction" and self.gone:
            first_kept = map_key(entry.value.get("firstKeptEntryId", UNDEFINED))
            if first_kept in self.gone and (stand_in := self._first_kept(entry, first_kept)):
                changes["firstKeptEntryId"] = _json(stand_in.id)
        if changes:
            line = with_fields(line, changes)
        return trimming.line(line, entry)

    def _first_kept(self, compaction: Entry, first_kept: Key) -> Entry | None:
        # Of the path the first entry that stays, at or behind the one that was kept first: maybe the compaction itself.
        stays = compaction
        for entry in climb(self._tree.get, compaction):
            if entry.key not in self.gone:
                stays = entry
            if entry.key == first_kept:
                return stays
        return None

    def _checkout_line(self) -> bytes:
        # The file's last entry says where Pi goes on. Where that is left out, a checkout says it.
        leaf = self._session.leaf
        if leaf is None or leaf.key not in self.gone:
            return b""
        last = next((entry for entry in reversed(self._tree.entries) if entry.key not in self.gone), None)
        target = self._stand_ins.above(leaf)
        if last is target:
            return b""
        entry = build_entry(
            "custom",
            {"customType": CHECKOUT, "data": {"from": last.id if last and isinstance(last.id, str) else None}},
            entry_id=new_id(self._tree.by_id),
            parent_id=None if target is None else target.id,
            timestamp=leaf.timestamp,
        )
        return line_of(entry)

    def _keep_what_is_about_the_rest(self) -> None:
        entries = self._tree.entries
        name = next((entry for entry in reversed(entries) if entry.type == "session_info"), None)
        kept = [name] if name else []
        kept += _answers(self._tree, self.gone)
        self.gone.difference_update(entry.key for entry in kept)
        for entry in entries:
            if entry.type == "label" and entry.key in self.gone:
                target = map_key(entry.target_id)
                if self._tree.get(target) and target not in self.gone:
                    self.gone.discard(entry.key)

    def _drop_what_points_nowhere(self) -> None:
        pointing: dict[Key, list[Key]] = {}
        for entry in self._tree.by_id.values():
            if entry.type in _POINTING_TYPES:
                pointing.setdefault(map_key(entry.target_id), []).append(entry.key)
        todo = list(self.gone)
        while todo:
            for key in pointing.get(todo.pop(), ()):
                if key not in self.gone:
                    self.gone.add(key)
                    todo.append(key)


def _json(value: Maybe) -> bytes:
    return b"null" if value is UNDEFINED else jsonl.stringify(value).encode()


def _own_entries(session: Session, branches: Iterable[Branch]) -> set[Key]:
    # What the branches alone have: on their paths but on no other, and what hangs below that.
    tree = session.tree
    going = {branch.tip.key for branch in branches}
    if not going:
        return set()
    tips = [branch.tip for branch in list_branches(session)]
    staying: set[Key] = set()
    for start in (session.leaf, *(tip for tip in tips if tip.key not in going)):
        for entry in climb(tree.get, start):
            if entry.key in staying:
                break
            staying.add(entry.key)
    gone: set[Key] = set()
    for tip in (tip for tip in tips if tip.key in going):
        for entry in climb(tree.get, tip):
            if entry.key in staying or entry.key in gone:
                break
            gone.add(entry.key)
    todo = list(gone)
    while todo:
        for child in tree.children_of(todo.pop()):
            if child.key not in gone and child.key not in staying:
                gone.add(child.key)
                todo.append(child.key)
    return gone


def _answers(tree: Tree, gone: set[Key]) -> Iterator[Entry]:
    # The results among what is gone that alone answer a call of what stays. What was called has happened, whatever the
    # branch was worth; and a call without a result is a fault.
    turns = _Nearest(tree, lambda entry: entry.role in _TURN_ROLES)
    results: dict[Key, list[Entry]] = {}
    for entry in tree.by_id.values():
        if entry.role == "toolResult":
            turn = turns.above(entry)
            if turn is not None and turn.role == "assistant" and turn.key not in gone:
                results.setdefault(turn.key, []).append(entry)
    for answers in results.values():
        if all(entry.key not in gone for entry in answers):
            continue
        answered = {_call_id(entry) for entry in answers if entry.key not in gone}
        for entry in answers:
            call_id = _call_id(entry)
            if entry.key in gone and call_id not in answered:
                answered.add(call_id)
                yield entry


def _call_id(result: Entry) -> Key:
    return map_key(result.message.get("toolCallId", UNDEFINED))


class _Nearest:
    # The nearest entry above any other that passes; each stretch that does not is walked once.
    def __init__(self, tree: Tree, passes: Callable[[Entry], bool]) -> None:
        self._tree = tree
        self._passes = passes
        self._known: dict[Key, Entry | None] = {}

    def above(self, entry: Entry) -> Entry | None:
        current = self._parent(entry)
        walked: list[Key] = []
        while current is not None and not self._passes(current) and current.key not in self._known:
            # Stands until it is known; who comes back here is in a circle without any.
            self._known[current.key] = None
            walked.append(current.key)
            current = self._parent(current)
        found = current if current is None or self._passes(current) else self._known[current.key]
        self._known.update(dict.fromkeys(walked, found))
        return found

    def _parent(self, entry: Entry) -> Entry | None:
        return self._tree.get(entry.parent_key) if entry.parent_id else None
