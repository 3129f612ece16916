"""New entries of any type from fields that somebody gives: what is taken for each, and what is written of it.

Beyond what Pi's own append methods check (PI_DETAILS G3), a field has to be known and of its type: Pi stumbles over
others only when it reads them.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from pisess_cli.core.context.system_message import replayed_system_message
from pisess_cli.core.context.tokens import estimate_projected_context_tokens
from pisess_cli.core.errors import Refused, UsageFault
from pisess_cli.core.format import jsonl, new_entries
from pisess_cli.core.format.content import user_message
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import UNDEFINED, BadLine, JsonObject, JsonValue, Maybe
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.revisions import Point
from pisess_cli.core.session.session import Session

ASIDE_TYPES = frozenset(("label", "session_info", "usage"))
"""Types that Pi reads from anywhere in the file, whatever its leaf is."""
_TEXT = {
    "branch_summary": "summary",
    "compaction": "summary",
    "custom_message": "content",
    "label": "label",
    "session_info": "name",
    "usage": "note",
}
_TARGET = {
    "branch_summary": "fromId",
    "compaction": "firstKeptEntryId",
    "context_edit": "targetId",
    "label": "targetId",
}
_Json: TypeAlias = Any  # any JSON value: msgspec knows no types that contain themselves
_JsonObject: TypeAlias = dict[str, Any]


class _Place(NamedTuple):
    # Where a new entry goes: below `parent` (None: a root) of the session, at that time.
    session: Session
    parent: Entry | None
    moment_ms: int


class _Given(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    # What is taken for a type; its fields are those of the entry, as the file names them.

    def checked(self, place: _Place) -> dict[str, Maybe]:
        """The entry's own fields, in Pi's order. Raises `Refused` or `NotFound` for what Pi refuses."""
        raise NotImplementedError


class _Message(_Given):
    message: _JsonObject

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.message_fields(self.message)


class _CustomMessage(_Given):
    custom_type: str
    content: str | list[_Json]
    display: bool = True
    details: _Json | UnsetType = UNSET

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.custom_message_fields(self.custom_type, self.content, self.display, self.details)


class _Custom(_Given):
    custom_type: str
    data: _Json | UnsetType = UNSET

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.custom_fields(self.custom_type, self.data)


class _Compaction(_Given):
    summary: str
    first_kept_entry_id: str | UnsetType | None = UNSET
    tokens_before: int | float | UnsetType = UNSET
    details: _Json | UnsetType = UNSET
    usage: _JsonObject | UnsetType = UNSET
    from_hook: bool = False

    def checked(self, place: _Place) -> dict[str, Maybe]:
        projection = place.session.projection(place.parent)
        tokens = self.tokens_before
        if isinstance(tokens, UnsetType):
            tokens = estimate_projected_context_tokens(projection, place.session.path_to(place.parent)).tokens
        return new_entries.compaction_fields(
            self.summary,
            self.first_kept_entry_id,
            tokens,
            details=self.details,
            usage=self.usage,
            from_hook=self.from_hook,
            system_message=replayed_system_message(projection.messages),
            timestamp_ms=place.moment_ms,
        )


class _BranchSummary(_Given):
    summary: str
    from_id: str | UnsetType = UNSET
    details: _Json | UnsetType = UNSET
    usage: _JsonObject | UnsetType = UNSET
    from_hook: bool = False

    def checked(self, place: _Place) -> dict[str, Maybe]:
        leaf = place.session.leaf
        left: Maybe = None if leaf is None else leaf.id
        return new_entries.branch_summary_fields(
            left if isinstance(self.from_id, UnsetType) else self.from_id,
            self.summary,
            details=self.details,
            usage=self.usage,
            from_hook=self.from_hook,
        )


class _ModelChange(_Given):
    provider: str
    model_id: str

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.model_change_fields(self.provider, self.model_id)


class _ThinkingLevelChange(_Given):
    thinking_level: str

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.thinking_level_fields(self.thinking_level)


class _ContextEdit(_Given):
    target_id: str
    replacement: _Json

    def checked(self, place: _Place) -> dict[str, Maybe]:
        session = place.session
        return new_entries.context_edit_fields(
            session.get, session.walk(place.parent), self.target_id, self.replacement
        )


class _Label(_Given):
    target_id: str
    label: str | UnsetType = UNSET

    def checked(self, place: _Place) -> dict[str, Maybe]:
        return new_entries.label_fields(place.session.get, self.target_id, self.label)


class _SessionInfo(_Given):
    name: str

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.session_info_fields(self.name)


class _Usage(_Given):
    kind: str
    provider: str
    model: str
    usage: _JsonObject
    note: str | None = None

    def checked(self, place: _Place) -> dict[str, Maybe]:  # noqa: ARG002
        return new_entries.usage_fields(self.kind, self.provider, self.model, self.usage, self.note)


_GIVEN: Mapping[str, type[_Given]] = {
    "message": _Message,
    "custom_message": _CustomMessage,
    "custom": _Custom,
    "compaction": _Compaction,
    "branch_summary": _BranchSummary,
    "model_change": _ModelChange,
    "thinking_level_change": _ThinkingLevelChange,
    "context_edit": _ContextEdit,
    "label": _Label,
    "session_info": _SessionInfo,
    "usage": _Usage,
}


def append_given(appender: Appender, type_: str, given: JsonObject, at: Point | None = None) -> Entry:
    """Appends an entry of that type with the given fields below the leaf, or at another point of the session.

    What is left out and Pi would know by itself is filled in: a compaction's tokens and replayed system message, the
    leaf that a branch summary leaves. Raises `UsageFault` for fields that an entry of the type cannot have, `Refused`
    or `NotFound` for what Pi refuses.
    """
    moment = now_ms()
    place = _Place(appender.session, appender.session.leaf if at is None else at.entry, moment)
    fields = _read(type_, given).checked(place)
    parent_id: Maybe = UNDEFINED
    if at is not None:
        parent_id = None if at.entry is None else _id_of(at.entry)
    return appender.append(type_, fields, parent_id=parent_id, timestamp=iso(moment))


def _read(type_: str, given: JsonObject) -> _Given:
    taken = _GIVEN[type_]
    try:
        return msgspec.convert(given, taken)
    except msgspec.ValidationError as error:
        reason = str(error)
        raise UsageFault(
            f"not the fields of an entry: {reason[:1].lower()}{reason[1:]} ({type_})",
            hint=f"they are {', '.join(taken.__struct_encode_fields__)}; id, parentId and timestamp are made here",
        ) from error


def _id_of(entry: Entry) -> str:
    if not isinstance(entry.id, str):
        raise Refused("the entry has no id that another one could name")
    return entry.id


def text_fields(type_: str, text: str, role: str | None) -> JsonObject:
    """The field that a text alone gives an entry of the type; `role`: of a message, the user's if None is named.

    Raises `UsageFault` for a type that has no text, and for messages that are more than a text.
    """
    if type_ == "message":
        return {"message": _text_message(role or "user", text)}
    if type_ == "context_edit":
        return {"replacement": {"content": text}}
    if type_ not in _TEXT:
        raise UsageFault(f"an entry of that type has no text ({type_})")
    return {_TEXT[type_]: text}


def _text_message(role: str, text: str) -> JsonObject:
    if role == "user":
        return user_message(text, now_ms())
    if role == "system":
        return {"role": role, "content": text, "timestamp": now_ms()}
    raise UsageFault(
        f"a message of that role is more than a text ({role})",
        hint=f"""give it whole: --field message:='{{"role": "{role}", …}}'""",
    )


def target_fields(type_: str, target: Entry) -> JsonObject:
    """The field by which an entry of the type names another one. Raises `UsageFault` for a type that has none."""
    if type_ not in _TARGET:
        raise UsageFault(f"an entry of that type is about no other ({type_})")
    return {_TARGET[type_]: _id_of(target)}


def parse_field(text: str) -> tuple[str, JsonValue]:
    """The key and the value of `KEY=TEXT` or `KEY:=JSON`. Raises `UsageFault`."""
    key, equals, value = text.partition("=")
    if not equals or not key.rstrip(":"):
        raise UsageFault(f"not a field ({text})", hint="write it as KEY=TEXT, or as KEY:=JSON")
    return (key[:-1], parse_json(value, key[:-1])) if key.endswith(":") else (key, value)


def parse_json(text: str, name: str) -> JsonValue:
    """The value that a JSON text holds; `name` says in an error what it is. Raises `UsageFault`."""
    try:
        return jsonl.decode(text.encode("utf-8", "surrogateescape"))
    except BadLine as error:
        reason = str(error)
        raise UsageFault(f"not JSON: {reason[:1].lower()}{reason[1:]} ({name})") from error


def parse_object(text: str, name: str) -> JsonObject:
    """The object that a JSON text holds. Raises `UsageFault`."""
    value = parse_json(text, name)
    if not isinstance(value, dict):
        raise UsageFault(f"not a JSON object ({name})")
    return value
