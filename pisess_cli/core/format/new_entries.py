"""What Pi's append methods check and store (PI_DETAILS G3), one function a type; each gives the fields of the entry."""

import re
from collections.abc import Callable, Iterable

from msgspec import UnsetType

from pisess_cli.core.errors import NotFound, Refused
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.content import text_block
from pisess_cli.core.format.entries import CURRENT_VERSION, Entry, map_key
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe, js_trim

# Fields that stand before `id` (PI_DETAILS G1): Pi builds these two entries the other way round.
_FIRST_FIELDS = {"custom": ("customType", "data"), "custom_message": ("customType", "content", "display", "details")}


def build_entry(
    type_: str, fields: dict[str, Maybe], *, entry_id: str, parent_id: Maybe, timestamp: Maybe
) -> JsonObject:
    """A new entry with Pi's fields in Pi's order; fields that are `UNDEFINED` are left out.

    A compaction whose `firstKeptEntryId` is undefined keeps nothing, which its own id there says (PI_DETAILS G3).
    """
    if type_ == "compaction" and fields.get("firstKeptEntryId") in (None, UNDEFINED):
        fields = {**fields, "firstKeptEntryId": entry_id}
    envelope: dict[str, Maybe] = {"id": entry_id, "parentId": parent_id, "timestamp": timestamp}
    first = {key: fields[key] for key in _FIRST_FIELDS.get(type_, ()) if key in fields}
    rest = {key: value for key, value in fields.items() if key not in first}
    whole: dict[str, Maybe] = {"type": type_, **first, **envelope, **rest}
    return {key: value for key, value in whole.items() if not isinstance(value, UnsetType)}


def build_header(session_id: str, timestamp: str, cwd: str, parent_session: str | None = None) -> JsonObject:
    """A new header, fields in Pi's order."""
    header: JsonObject = {
        "type": "session",
        "version": CURRENT_VERSION,
        "id": session_id,
        "timestamp": timestamp,
        "cwd": cwd,
    }
    return header if parent_session is None else {**header, "parentSession": parent_session}


def line_of(value: JsonValue) -> bytes:
    """A value as a whole line of a session file."""
    return jsonl.stringify(value).encode() + b"\n"


EDITABLE_ROLES = ("user", "assistant", "toolResult")
_OWN_TYPE = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}


def message_fields(message: JsonValue) -> dict[str, Maybe]:
    """Of a message entry. Raises `Refused` for summaries, which are entries of their own, and for what has no role."""
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str) or not role:
        raise Refused("a message needs a role")
    if role in _OWN_TYPE:
        raise Refused(
            f"a summary is an entry of its own, not a message ({role})",
            hint=f"append an entry of type {_OWN_TYPE[role]}",
        )
    return {"message": message}


def session_info_fields(name: str) -> dict[str, Maybe]:
    """Of a session's name: line ends become a space each run, the ends are trimmed; an empty name clears."""
    return {"name": js_trim(re.sub(r"[\r\n]+", " ", name))}


def custom_fields(custom_type: str, data: Maybe = UNDEFINED) -> dict[str, Maybe]:
    """Of an extension's own entry, which the model does not see."""
    return {"customType": custom_type, "data": data}


def custom_message_fields(
    custom_type: str, content: JsonValue, display: JsonValue, details: Maybe = UNDEFINED
) -> dict[str, Maybe]:
    """Of an extension's message to the model; `display`: whether Pi shows it to the user."""
    return {"customType": custom_type, "content": content, "display": display, "details": details}


def model_change_fields(provider: str, model_id: str) -> dict[str, Maybe]:
    """Of a change of the model."""
    return {"provider": provider, "modelId": model_id}


def thinking_level_fields(level: str) -> dict[str, Maybe]:
    """Of a change of the thinking level."""
    return {"thinkingLevel": level}


def usage_fields(kind: str, provider: str, model: str, usage: JsonObject, note: str | None = None) -> dict[str, Maybe]:
    """Of usage that belongs to no message; an empty note is left out."""
    return {"kind": kind, "provider": provider, "model": model, "usage": usage, "note": note or UNDEFINED}


def label_fields(get: Callable[[str], Entry | None], target_id: str, label: Maybe) -> dict[str, Maybe]:
    """Of a label on an entry that must exist; an empty or undefined label clears."""
    _existing(get, target_id)
    return {"targetId": target_id, "label": label}


def context_edit_fields(
    get: Callable[[str], Entry | None], path: Iterable[Entry], target_id: str, replacement: JsonValue
) -> dict[str, Maybe]:
    """Of a context edit: `replacement` is None (omit) or an object with content; the target must be on the path.

    Raises `Refused` or `NotFound` for what Pi refuses, in Pi's order.
    """
    if replacement is not None and not (
        isinstance(replacement, dict) and isinstance(replacement.get("content"), str | list)
    ):
        raise Refused("a replacement is null, or has content that is a text or a list")
    target = _existing(get, target_id)
    if not any(map_key(entry.id) == target_id for entry in path):
        raise Refused(f"the entry is not on the current path ({target_id})", hint=f"pisess checkout {target_id}")
    if not is_editable(target):
        raise Refused(f"the entry holds no content for the model that could be edited ({target_id})")
    if isinstance(replacement, dict) and target.role in ("assistant", "toolResult"):
        content = replacement["content"]
        replacement = {"content": [text_block(content)]} if isinstance(content, str) else replacement
    return {"targetId": target_id, "replacement": replacement}


def is_editable(entry: Entry) -> bool:
    """Whether a context edit can name the entry."""
    return entry.type == "custom_message" or (entry.type == "message" and entry.role in EDITABLE_ROLES)


def branch_summary_fields(
    left: Maybe, summary: str, *, details: Maybe = UNDEFINED, usage: Maybe = UNDEFINED, from_hook: Maybe = False
) -> dict[str, Maybe]:
    """Of the summary of a branch that is left; `left` is its leaf."""
    from_id = "root" if left is None or left is UNDEFINED else left
    return {"fromId": from_id, "summary": summary, "details": details, "usage": usage, "fromHook": from_hook}


def compaction_fields(
    summary: str,
    first_kept_id: Maybe,
    tokens_before: Maybe,
    *,
    details: Maybe = UNDEFINED,
    usage: Maybe = UNDEFINED,
    from_hook: Maybe = False,
    system_message: JsonObject | None = None,
    timestamp_ms: int = 0,
) -> dict[str, Maybe]:
    """Of a compaction; `system_message` is the replay of the projection before it, which gets the entry's time."""
    return {
        "summary": summary,
        "firstKeptEntryId": first_kept_id,
        "tokensBefore": tokens_before,
        "details": details,
        "usage": usage,
        "fromHook": from_hook,
        "systemMessage": UNDEFINED if system_message is None else {**system_message, "timestamp": timestamp_ms},
    }


def _existing(get: Callable[[str], Entry | None], target_id: str) -> Entry:
    target = get(target_id)
    if target is None:
        raise NotFound(f"no such entry ({target_id})")
    return target
