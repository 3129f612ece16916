"""Pi's SessionManager in Python's names (SPEC 16), over the modules that each do one part of it.

What the methods check and write is in PI_DETAILS G3. Unlike Pi's, a manager sees what others have appended since:
every append locks the file, reads that, and goes below the leaf that is there now, unless `branch` or `reset_leaf`
has moved the pointer. Two threads need two managers.
"""

from collections.abc import Sequence
from pathlib import Path

from pisess_cli.core.context.projection import (
    Projection,
    build_context_entries,
    build_session_path,
    build_session_projection,
)
from pisess_cli.core.context.system_message import replayed_system_message
from pisess_cli.core.errors import NotFound
from pisess_cli.core.format import new_entries
from pisess_cli.core.format.entries import Entry, map_key, read_entry
from pisess_cli.core.format.ids import new_id
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe, shown
from pisess_cli.core.format.new_entries import branch_summary_fields, build_entry, compaction_fields, line_of
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.paths import absolute_path
from pisess_cli.core.store import directory, forks, selectors
from pisess_cli.core.store.directory import SessionDir
from pisess_cli.core.store.listing import SessionInfo, list_sessions
from pisess_cli.core.store.new_sessions import NewSession, plan_session, write_fork, write_new
from pisess_cli.core.store.settings import Origin
from pisess_cli.core.tree.tree import Tree, TreeNode


class SessionManager:
    """A session with a leaf pointer. Make one with `create`, `open`, `continue_recent`, `fork_from` or `in_memory`."""

    def __init__(self, new: NewSession, entries: Sequence[Entry] = (), *, persist: bool, flushed: bool) -> None:
        self._path = new.path
        self._header = new.header
        self._tree = Tree(list(entries))
        self._leaf_id: Maybe = self._tree.leaf_id
        self._moved = False
        self._persist = persist
        self._flushed = flushed
        self._size = 0

    @classmethod
    def create(cls, cwd: Path, session_dir: Path, session_id: str | None = None) -> "SessionManager":
        """A new session of `cwd`; its file comes with the first user or assistant message. Raises `UsageFault`."""
        return cls(plan_session(_flat(session_dir), cwd, session_id=session_id), persist=True, flushed=False)

    @classmethod
    def open(cls, path: Path) -> "SessionManager":
        """The session in a file. Raises `NotASession` or `PisessError`; an old version is migrated when written."""
        manager = cls(NewSession(path, {}), persist=True, flushed=True)
        manager._take(Session(path))
        return manager

    @classmethod
    def continue_recent(cls, cwd: Path, session_dir: Path) -> "SessionManager":
        """The most recent session of `cwd` in the directory, or a new one if it has none."""
        recent = selectors.recent_sessions(session_dir, cwd, 1)
        return cls.open(recent[0]) if recent else cls.create(cwd, session_dir)

    @classmethod
    def fork_from(cls, source: Path, cwd: Path, session_dir: Path, session_id: str | None = None) -> "SessionManager":
        """A copy of a session for another working directory, written at once. Raises `NotASession`, `PisessError`."""
        new = plan_session(_flat(session_dir), cwd, session_id=session_id, parent=source)
        write_fork(new, Session(source))
        return cls.open(new.path)

    @classmethod
    def in_memory(cls, cwd: Path, entries: Sequence[JsonObject] = ()) -> "SessionManager":
        """A session without a file, from entries if some are given."""
        new = plan_session(_flat(Path()), cwd)
        return cls(new, [Entry.from_value(entry) for entry in entries], persist=False, flushed=False)

    @staticmethod
    def find_by_id(session_id: str, session_dir: Path) -> Path | None:
        """The file of the session with exactly that id, in the directory or one level below it."""
        try:
            found = selectors.find_session(session_id, session_dir, Path.cwd(), lambda: ())
        except NotFound:
            return None
        header = Session(found).header
        return found if header.id == session_id else None

    @staticmethod
    def list(cwd: Path, session_dir: Path) -> Sequence[SessionInfo]:
        """What one knows of the sessions of `cwd`, the one that was used last first."""
        here = absolute_path(str(cwd), Path.cwd())
        return [info for info in SessionManager.list_all(session_dir) if info.cwd and Path(info.cwd) == here]

    @staticmethod
    def list_all(session_dir: Path) -> Sequence[SessionInfo]:
        """What one knows of all sessions in a directory and one level below it, the one that was used last first."""
        return list_sessions(directory.session_files(session_dir))

    # What it is

    def get_session_file(self) -> Path | None:
        """The session's file, which may not exist yet; None in memory."""
        return self._path if self._persist else None

    def get_session_id(self) -> str:
        """The session's id."""
        return str(self._header["id"])

    def get_cwd(self) -> str:
        """The working directory that the header names."""
        return str(self._header.get("cwd"))

    def get_header(self) -> JsonObject:
        """The header, as a current file holds it."""
        return self._header

    def get_session_name(self) -> str | None:
        """The session's name."""
        return self._tree.name

    def get_leaf_id(self) -> Maybe:
        """The id of the entry below which the next one goes; None before the first."""
        return self._leaf_id

    def get_leaf_entry(self) -> Entry | None:
        """That entry."""
        return self.get_entry(self._leaf_id) if self._leaf_id else None

    def get_entry(self, entry_id: Maybe) -> Entry | None:
        """The entry with that id."""
        return self._tree.get(map_key(entry_id))

    def get_entries(self) -> Sequence[Entry]:
        """All entries but the header, in the file's order."""
        return tuple(self._tree.entries)

    def get_children(self, parent_id: Maybe) -> Sequence[Entry]:
        """The entries right below one; None gives those without a parent."""
        return self._tree.children(parent_id)

    def get_label(self, entry_id: str) -> JsonValue:
        """The label of an entry, None if it has none."""
        label = self._tree.labels.get(entry_id)
        return label.text if label else None

    def get_branch(self, from_id: Maybe = None) -> Sequence[Entry]:
        """The path from the root to an entry, to the leaf if none is named; empty for an unknown one."""
        return self._tree.path(self._leaf_id if from_id is None else from_id)

    def get_tree(self) -> Sequence[TreeNode]:
        """The roots, with all that is below them."""
        return self._tree.nodes()

    def build_context_entries(self) -> Sequence[Entry]:
        """The entries that make the model's context."""
        return build_context_entries(self._context_path())

    def build_session_projection(self) -> Projection:
        """What the model would be sent, entry by entry."""
        return build_session_projection(self._context_path())

    def build_session_context(self) -> JsonObject:
        """What the model would be sent: `messages`, `model`, `thinkingLevel`."""
        projection = self.build_session_projection()
        whole = projection.as_json()
        whole.pop("entries")
        return {"messages": list(projection.messages), **whole}

    def _context_path(self) -> Sequence[Entry]:
        return build_session_path(self._tree, self._leaf_id)

    # Moving the pointer

    def branch(self, from_id: str) -> None:
        """Goes to an entry: the next one is written below it. Raises `NotFound`."""
        if self.get_entry(from_id) is None:
            raise NotFound(f"no such entry ({from_id})")
        self._leaf_id, self._moved = from_id, True

    def reset_leaf(self) -> None:
        """Goes before the first entry: the next one is a root."""
        self._leaf_id, self._moved = None, True

    def branch_with_summary(
        self,
        from_id: str | None,
        summary: str,
        details: Maybe = UNDEFINED,
        from_hook: Maybe = UNDEFINED,
        usage: Maybe = UNDEFINED,
    ) -> str:
        """Goes to an entry (None: before the first) and leaves a summary of what was left. Raises `NotFound`."""
        left = self._leaf_id
        if from_id is None:
            self.reset_leaf()
        else:
            self.branch(from_id)
        fields = branch_summary_fields(left, summary, details=details, usage=usage, from_hook=from_hook)
        return self._append("branch_summary", fields)

    def create_branched_session(self, leaf_id: str) -> Path | None:
        """Makes the path to an entry a session of its own, and goes on in that. Raises `NotFound`.

        Its file is written at once if somebody has said something on the path; None in memory.
        """
        path = self._tree.path(leaf_id)
        if not path:
            raise NotFound(f"no such entry ({leaf_id})")
        folder = _flat(self._path.parent)
        new = plan_session(folder, Path(self.get_cwd()), parent=self._path if self._persist else None)
        lines = list(forks.branched_lines(self._tree, path, new.header))
        entries = [entry for line in lines[1:] if (entry := read_entry(line, 0, len(line) - 1)) is not None]
        flushed = self._persist and forks.has_conversation(entries)
        if flushed:
            write_new(new, lines)
        self._path, self._header, self._flushed = new.path, new.header, flushed
        self._tree = Tree(entries)
        self._leaf_id, self._moved = self._tree.leaf_id, False
        self._size = sum(map(len, lines))
        return self.get_session_file()

    # Appending; each method returns the new entry's id

    def append_message(self, message: JsonObject) -> str:
        """Appends a message. Raises `Refused` for a summary or a message without a role."""
        return self._append("message", new_entries.message_fields(message))

    def append_thinking_level_change(self, level: str) -> str:
        """Appends a change of the thinking level."""
        return self._append("thinking_level_change", {"thinkingLevel": level})

    def append_model_change(self, provider: str, model_id: str) -> str:
        """Appends a change of the model."""
        return self._append("model_change", {"provider": provider, "modelId": model_id})

    def append_usage(self, kind: str, provider: str, model: str, usage: JsonObject, note: str | None = None) -> str:
        """Appends usage that belongs to no message."""
        fields: dict[str, Maybe] = {"kind": kind, "provider": provider, "model": model, "usage": usage}
        return self._append("usage", {**fields, "note": note or UNDEFINED})

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: Maybe,
        details: Maybe = UNDEFINED,
        from_hook: Maybe = UNDEFINED,
        usage: Maybe = UNDEFINED,
    ) -> str:
        """Appends a compaction with the system message it replays; with no first kept entry it keeps nothing."""
        moment = now_ms()
        fields = compaction_fields(
            summary,
            first_kept_entry_id,
            tokens_before,
            details=details,
            usage=usage,
            from_hook=from_hook,
            system_message=replayed_system_message(self.build_session_projection().messages),
            timestamp_ms=moment,
        )
        return self._append("compaction", fields, iso(moment))

    def append_custom_entry(self, custom_type: str, data: Maybe = UNDEFINED) -> str:
        """Appends an extension's own entry, which the model does not see."""
        return self._append("custom", {"customType": custom_type, "data": data})

    def append_session_info(self, name: str) -> str:
        """Names the session; an empty name clears."""
        return self._append("session_info", new_entries.session_info_fields(name))

    def append_custom_message_entry(
        self, custom_type: str, content: JsonValue, display: JsonValue, details: Maybe = UNDEFINED
    ) -> str:
        """Appends an extension's message to the model."""
        fields: dict[str, Maybe] = {"customType": custom_type, "content": content, "display": display}
        return self._append("custom_message", {**fields, "details": details})

    def append_context_edit(self, target_id: str, replacement: JsonValue) -> str:
        """Edits (an object with `content`) or omits (None) an entry of the current branch. Raises as Pi does."""
        fields = new_entries.context_edit_fields(self._tree.get, self.get_branch(), target_id, replacement)
        return self._append("context_edit", fields)

    def append_label_change(self, target_id: str, label: str | None = None) -> str:
        """Labels an entry; None or an empty label clears. Raises `NotFound`."""
        fields = new_entries.label_fields(self._tree.get, target_id, UNDEFINED if label is None else label)
        return self._append("label", fields)

    def _append(self, type_: str, fields: dict[str, Maybe], timestamp: str | None = None) -> str:
        if self._persist and self._flushed:
            entry = self._append_to_file(type_, fields, timestamp)
        else:
            value = build_entry(
                type_,
                fields,
                entry_id=new_id(self._tree.by_id),
                parent_id=None if self._leaf_id is UNDEFINED else self._leaf_id,
                timestamp=timestamp or iso(now_ms()),
            )
            entry = Entry.from_value(value)
            self._first_flush(entry)
            self._tree.add(entry)
        self._leaf_id, self._moved = entry.id, False
        return shown(entry.id)

    def _first_flush(self, entry: Entry) -> None:
        entries = [*self._tree.entries, entry] if self._persist else []
        if forks.has_conversation(entries):
            lines = [line_of(self._header), *(each.raw + b"\n" for each in entries)]
            write_new(NewSession(self._path, self._header), lines)
            self._flushed, self._size = True, sum(map(len, lines))

    def _append_to_file(self, type_: str, fields: dict[str, Maybe], timestamp: str | None) -> Entry:
        with Appender(self._path, is_taken=lambda candidate: candidate in self._tree.by_id) as appender:
            self._catch_up(appender.session)
            parent = self._leaf_id if self._moved else UNDEFINED
            entry = appender.append(type_, fields, parent_id=parent, timestamp=timestamp)
            # Pi may have written meanwhile: what is behind the known part is not this entry alone.
            for written in appender.session.file.entries(self._size, appender.size):
                self._tree.add(written)
            self._size = appender.size
        return entry

    def _catch_up(self, session: Session) -> None:
        # What others have written since; a file that is another one now, or shorter, is read anew.
        size = session.file.size
        known = session.file.read(max(self._size - 1, 0), self._size) if size >= self._size else b""
        if known != b"\n" or session.header.id != self.get_session_id():
            self._take(session)
            return
        for entry in session.file.entries(self._size, size):
            self._tree.add(entry)
        self._size = size

    def _take(self, session: Session) -> None:
        self._header = session.header.value
        self._tree = Tree(list(session.whole.entries))
        self._size = session.file.size
        self._leaf_id = self._tree.leaf_id


def _flat(folder: Path) -> SessionDir:
    return SessionDir(folder, "flat", Origin("option"))
