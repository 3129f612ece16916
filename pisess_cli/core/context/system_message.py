"""One system message that says what all system messages of a context say together (PI_DETAILS G3)."""

from collections.abc import Iterable, Iterator

from pisess_cli.core.format.content import content_text
from pisess_cli.core.format.entries import Key, map_key
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, JsonValue, Maybe


def replayed_system_message(messages: Iterable[JsonObject]) -> JsonObject | None:
    """The system message that the messages add up to, as a compaction keeps it; keys in Pi's order.

    Contents are joined by blank lines, sections patched by name (null takes one out), tools taken out and added. Its
    timestamp is the first system message's; a compaction puts its own there. None if there is nothing to replay: no
    tools, and no system message with a timestamp.
    """
    contents: list[str] = []
    sections: JsonObject = {}
    tools: dict[Key, JsonValue] = {}
    timestamp: Maybe = UNDEFINED
    for message in messages:
        if message.get("role") != "system":
            continue
        if timestamp is None or timestamp is UNDEFINED:
            timestamp = message.get("timestamp", UNDEFINED)
        contents.append(content_text(message.get("content")))
        _patch_sections(sections, message.get("sections"))
        for name, _ in _tools(message.get("toolsRemoved")):
            tools.pop(name, None)
        tools.update(_tools(message.get("toolsAdded")))
    if timestamp is UNDEFINED and not tools:
        return None
    replayed: JsonObject = {"role": "system", "content": "\n\n".join(text for text in contents if text)}
    if sections:
        replayed["sections"] = sections
    if tools:
        replayed["toolsAdded"] = list(tools.values())
    replayed["timestamp"] = timestamp or 0
    return replayed


def _patch_sections(sections: JsonObject, patch: Maybe) -> None:
    if not isinstance(patch, dict):
        return
    for name, text in patch.items():
        if text is None:
            sections.pop(name, None)
        else:
            sections[name] = text


def _tools(declared: Maybe) -> Iterator[tuple[Key, JsonObject]]:
    for tool in declared if isinstance(declared, list) else []:
        if isinstance(tool, dict):
            yield map_key(tool.get("name", UNDEFINED)), tool
