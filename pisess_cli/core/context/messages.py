"""From an entry to its messages, and from messages to what a model gets (PI_SEMANTICS D)."""

from collections.abc import Iterable

from pisess_cli.core.format.content import text_block
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe, defined, shown
from pisess_cli.core.format.times import parse_ms

# The wording around summaries is part of what the model gets: it has to be Pi's to the letter.
COMPACTION_PREFIX = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
)
COMPACTION_SUFFIX = "\n</summary>"
BRANCH_PREFIX = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
BRANCH_SUFFIX = "</summary>"
_EMPTY_CONTENT: dict[str, JsonValue] = {"system": "", "user": [], "assistant": [], "toolResult": []}
_EDITABLE_ROLES = ("user", "assistant", "toolResult", "custom")
_LLM_ROLES = ("system", "user", "assistant", "toolResult")


def entry_messages(entry: Entry) -> list[JsonObject]:
    """The messages that an entry gives by itself, whatever edits and compactions say: none, one, or two."""
    if entry.type == "message":
        return _repaired(entry.message)
    value = entry.value
    timestamp = parse_ms(entry.timestamp)

    def field(key: str) -> Maybe:
        return value.get(key, UNDEFINED)

    if entry.type == "custom_message":
        content = value.get("content")
        message = {
            "role": "custom",
            "customType": field("customType"),
            "content": [] if content is None else content,
            "display": field("display"),
            "details": field("details"),
            "timestamp": timestamp,
        }
        return [defined(message)]
    if entry.type == "branch_summary":
        message = {
            "role": "branchSummary",
            "summary": field("summary"),
            "fromId": field("fromId"),
            "timestamp": timestamp,
        }
        return [defined(message)] if value.get("summary") else []
    if entry.type == "compaction":
        summary: dict[str, Maybe] = {
            "role": "compactionSummary",
            "summary": field("summary"),
            "tokensBefore": field("tokensBefore"),
            "timestamp": timestamp,
        }
        system = value.get("systemMessage")
        return [system, defined(summary)] if isinstance(system, dict) else [defined(summary)]
    return []


def _repaired(message: JsonObject) -> list[JsonObject]:
    if not message:
        return []
    role = message.get("role")
    if isinstance(role, str) and role in _EMPTY_CONTENT and message.get("content") is None:
        empty = _EMPTY_CONTENT[role]
        return [{**message, "content": list(empty) if isinstance(empty, list) else empty}]
    return [message]


def project_entry(entry: Entry, edit: Entry | None) -> list[JsonObject]:
    """The messages of an entry after the context edit that counts for it (PI_SEMANTICS C.4)."""
    if edit is None:
        return entry_messages(entry)
    replacement = edit.value.get("replacement", UNDEFINED)
    if replacement is None:
        return []
    content = replacement.get("content", UNDEFINED) if isinstance(replacement, dict) else UNDEFINED
    return [_with_content(message, content) for message in entry_messages(entry)]


def _with_content(message: JsonObject, content: Maybe) -> JsonObject:
    role = message.get("role")
    if role not in _EDITABLE_ROLES:
        return message
    if isinstance(content, str) and role in ("assistant", "toolResult"):
        content = [text_block(content)]
    return defined({**message, "content": content})


def convert_to_llm(messages: Iterable[JsonObject]) -> list[JsonObject]:
    """What is sent to a model: system, user, assistant and toolResult messages; others as user text, or not at all."""
    return [sent for message in messages if (sent := _to_llm(message)) is not None]


def _to_llm(message: JsonObject) -> JsonObject | None:
    role = message.get("role")
    if role in _LLM_ROLES:
        return message
    content: Maybe
    if role == "bashExecution":
        if message.get("excludeFromContext"):
            return None
        content = [text_block(bash_text(message))]
    elif role == "custom":
        content = message.get("content", UNDEFINED)
        content = [text_block(content)] if isinstance(content, str) else content
    elif role == "branchSummary":
        content = [text_block(f"{BRANCH_PREFIX}{shown(message.get('summary', UNDEFINED))}{BRANCH_SUFFIX}")]
    elif role == "compactionSummary":
        content = [text_block(f"{COMPACTION_PREFIX}{shown(message.get('summary', UNDEFINED))}{COMPACTION_SUFFIX}")]
    else:
        return None
    return defined({"role": "user", "content": content, "timestamp": message.get("timestamp", UNDEFINED)})


def bash_text(message: JsonObject) -> str:
    """A bash execution as the model reads it."""
    text = f"Ran `{shown(message.get('command', UNDEFINED))}`\n"
    output = message.get("output")
    text += f"```\n{shown(output)}\n```" if output else "(no output)"
    code = message.get("exitCode")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code is not None and (code != 0 or isinstance(code, bool)):
        text += f"\n\nCommand exited with code {shown(code)}"
    if message.get("truncated") and message.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {shown(message['fullOutputPath'])}]"
    return text
