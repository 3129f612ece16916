"""The files that a conversation read and changed, as summaries list them (PI_DETAILS E3, E4)."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe, is_truthy, shown, utf16_order
from pisess_cli.core.format.jsonl import stringify

FileName: TypeAlias = str | float | bool | None
"""A path; or what else a file lists among its paths, carried on as it stands there."""
_TAGS = ("read-files", "modified-files")


class FileLists(NamedTuple):
    """Files that were only read, and files that were changed, each sorted by UTF-16 order."""

    read_files: list[FileName]
    modified_files: list[FileName]

    def as_details(self) -> JsonObject:
        """The lists as the `details` of an entry."""
        return {"readFiles": list(self.read_files), "modifiedFiles": list(self.modified_files)}

    def as_text(self) -> str:
        """The blocks at the end of a summary, each with a blank line before it; no block for an empty list."""
        filled = [(tag, names) for tag, names in zip(_TAGS, self, strict=True) if names]
        return "".join(f"\n\n<{tag}>\n{_lines(names)}\n</{tag}>" for tag, names in filled)


def _lines(names: Iterable[FileName]) -> str:
    return "\n".join("" if name is None else shown(name) for name in names)


class FileOperations:
    """Collects what was read, written and edited."""

    def __init__(self) -> None:
        self._read: dict[str, FileName] = {}
        self._modified: dict[str, FileName] = {}

    def add_details(self, entry: JsonObject) -> None:
        """Takes over the lists of an earlier summary's entry, unless an extension made it."""
        details = entry.get("details")
        if is_truthy(entry.get("fromHook")) or not isinstance(details, dict):
            return
        _add_names(self._read, details.get("readFiles"))
        _add_names(self._modified, details.get("modifiedFiles"))

    def add_message(self, message: JsonObject) -> None:
        """Takes the paths of an answer's tool calls, and of the calls that a tool made itself."""
        if message.get("role") == "assistant":
            content = message.get("content")
            calls = [block for block in _objects(content) if block.get("type") == "toolCall"]
        elif message.get("role") == "toolResult":
            nested = message.get("nestedCalls")
            calls = _objects(nested.get("calls")) if isinstance(nested, dict) else []
        else:
            return
        for call in calls:
            self._add_call(call)

    def _add_call(self, call: JsonObject) -> None:
        arguments = call.get("arguments")
        path = arguments.get("path") if isinstance(arguments, dict) else None
        if not isinstance(path, str) or not path:
            return
        if call.get("name") == "read":
            _add_names(self._read, [path])
        elif call.get("name") in ("write", "edit"):
            _add_names(self._modified, [path])

    def lists(self) -> FileLists:
        """What was collected; a file that was both read and changed counts as changed."""
        read = [name for key, name in self._read.items() if key not in self._modified]
        return FileLists(_sorted(read), _sorted(self._modified.values()))


def _objects(value: Maybe) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _add_names(names: dict[str, FileName], listed: JsonValue) -> None:
    # By their JSON, so that 5 and "5" stay apart as they do in a JavaScript Set.
    for name in listed if isinstance(listed, list) else []:
        if not isinstance(name, list | dict):
            names.setdefault(stringify(name), name)


def _sorted(names: Iterable[FileName]) -> list[FileName]:
    return sorted(names, key=lambda name: utf16_order(shown(name)))


def without_file_blocks(summary: str, lists: FileLists) -> str:
    """The summary without the file blocks at its end, as far as these lists name all that the blocks name."""
    named = {line for names in lists for line in _lines(names).split("\n")}
    for tag in reversed(_TAGS):
        head, opening, block = summary.rpartition(f"\n\n<{tag}>\n")
        body = block.removesuffix(f"\n</{tag}>")
        if opening and body != block and named.issuperset(body.split("\n")):
            summary = head
    return summary
