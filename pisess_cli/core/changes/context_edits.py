"""Changing what the model sees of an entry, by a `context_edit` (PI_SEMANTICS C.3, C.4)."""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from pisess_cli.core.context.messages import entry_messages, project_entry
from pisess_cli.core.context.projection import context_edits
from pisess_cli.core.context.tokens import estimate_tokens
from pisess_cli.core.errors import NotFound, Refused
from pisess_cli.core.format.content import text_block, tool_calls
from pisess_cli.core.format.entries import Entry, Key
from pisess_cli.core.format.entry_text import message_text
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe, defined, shown
from pisess_cli.core.format.jsonl import stringify
from pisess_cli.core.format.new_entries import context_edit_fields
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session


class Editable(NamedTuple):
    """An entry of the context that can be edited, the edits that count there by target, and the entries after it."""

    target: Entry
    edits: dict[Key, Entry]
    following: Sequence[Entry]

    @property
    def edit(self) -> Entry | None:
        """The edit of the entry that counts."""
        return self.edits.get(self.target.key)

    @property
    def original(self) -> JsonObject:
        """Its message without any edit."""
        return entry_messages(self.target)[0]

    @property
    def present(self) -> JsonObject | None:
        """Its message as the model sees it now; None where it is omitted."""
        return next(iter(project_entry(self.target, self.edit)), None)

    @property
    def text(self) -> str:
        """The words of its message, to begin a new text with."""
        return message_text(self.present or self.original)


class Change(NamedTuple):
    """A context edit before it is written: its fields, and the message as the model saw it and as it will (or not)."""

    target: Entry
    fields: dict[str, Maybe]
    before: JsonObject | None
    after: JsonObject | None

    @property
    def tokens_before(self) -> int:
        """The estimate of what the model saw."""
        return estimate_tokens(self.before) if self.before else 0

    @property
    def tokens_after(self) -> int:
        """The estimate of what it will see."""
        return estimate_tokens(self.after) if self.after else 0


def find_editable(session: Session, target: Entry) -> Editable:
    """The entry with what an edit has to know. Raises `Refused` where an edit would change nothing for the model."""
    context = session.context_entries(session.leaf)
    place = next((place for place, entry in enumerate(context) if entry.key == target.key), None)
    if place is None:
        if any(entry.key == target.key for entry in session.walk(session.leaf)):
            raise Refused(
                f"the model does not see the entry: a compaction has summarised it ({shown(target.id)})",
                hint="pisess show-context --explain tells what it sees",
            )
        raise Refused(
            f"the entry is not on the current path, so an edit would do nothing ({shown(target.id)})",
            hint=f"pisess checkout {shown(target.id)} goes there",
        )
    if target.type == "context_edit":
        raise Refused(
            f"that is an edit itself ({shown(target.id)})",
            hint=f"the entry that it edits is {shown(target.target_id)}",
        )
    # Pi checks what can be edited; the replacement does not matter for that.
    context_edit_fields(session.get, context, shown(target.id), None)
    return Editable(target, context_edits(context), context[place + 1 :])


def new_text(editable: Editable, text: str) -> JsonValue:
    """The replacement that puts a text in the place of the entry's text; what is no text there stays.

    Tool calls have to stay, since their results follow; images and thinking do too. Raises `Refused` for no text.
    """
    if not text.strip():
        raise Refused("the text is empty, so nothing was written", hint="--omit leaves the entry out")
    content = (editable.present or editable.original).get("content")
    if editable.present is not None and text == editable.text:
        return {"content": content}
    blocks = content if isinstance(content, list) else []
    rest = [block for block in blocks if _kind(block) != "text"]
    if not rest:
        return {"content": text}
    kinds = [_kind(block) for block in blocks]
    # Where there was no text, it goes before the calls, as models write it.
    place = next((kinds.index(kind) for kind in ("text", "toolCall") if kind in kinds), len(kinds))
    return {"content": [*rest[:place], text_block(text), *rest[place:]]}


def _kind(block: JsonValue) -> Maybe:
    return block.get("type") if isinstance(block, dict) else UNDEFINED


def original_content(editable: Editable) -> JsonValue:
    """The replacement that takes an edit back: the content of the entry as it stands in the file.

    Raises `NotFound` where no edit counts, `Refused` for content that no edit can hold.
    """
    if editable.edit is None:
        raise NotFound(f"no edit changes that entry ({shown(editable.target.id)})")
    content = editable.original.get("content")
    if not isinstance(content, str | list):
        raise Refused(
            f"no edit can hold what stands in that entry: it is no text and no list ({shown(editable.target.id)})",
            hint="pisess undo, or a checkout to before the edit, leaves the edit behind",
        )
    return {"content": content}


def plan_change(editable: Editable, replacement: JsonValue, *, force: bool = False) -> Change | None:
    """The edit that replaces the entry's content, or omits it (None); None if the model sees it so already.

    Raises `Refused` if results of its tool calls would stay without them, which models do not take, unless forced.
    """
    if replacement is None and not force:
        _refuse_stray_results(editable)
    target, before = editable.target, editable.present
    fields = context_edit_fields(lambda _: target, [target], shown(target.id), replacement)
    edit = Entry.from_value(defined({"type": "context_edit", **fields}))
    after = next(iter(project_entry(target, edit)), None)
    # Compared as text: what is nested deeply would be too much for Python's own comparison.
    return None if stringify(before) == stringify(after) else Change(target, fields, before, after)


def _refuse_stray_results(editable: Editable) -> None:
    calls = {shown(call.get("id", UNDEFINED)) for call in tool_calls(editable.present or {})}
    turn = takewhile(lambda entry: entry.role not in ("user", "assistant"), editable.following)
    results = [
        entry
        for entry in turn
        if entry.role == "toolResult"
        and shown(entry.message.get("toolCallId", UNDEFINED)) in calls
        and project_entry(entry, editable.edits.get(entry.key))
    ]
    if results:
        ids = ", ".join(shown(entry.id) for entry in results)
        raise Refused(
            f"the results of its tool calls would stay without them, which models do not take ({ids})",
            hint="omit those first; -f does it all the same",
        )


def append_change(appender: Appender, change: Change) -> Entry:
    """Writes the edit below the leaf. Raises `Refused` if the session went on elsewhere meanwhile."""
    find_editable(appender.session, change.target)
    return appender.append("context_edit", change.fields)
