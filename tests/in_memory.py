"""Sessions told in verbs, without a file: `Story().user("hi").assistant("yes").path`. Entries are named e1, e2, …"""

from collections.abc import Iterator

from pisess_cli.core.format.content import text_block
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe
from pisess_cli.core.format.new_entries import build_entry
from pisess_cli.core.tree.tree import Tree, climb

TIME = "2026-01-02T03:04:05.000Z"


def tokens(count: int) -> str:
    """A text of that many tokens."""
    return "word" * count


def call(name: str, **arguments: JsonValue) -> JsonObject:
    return {"type": "toolCall", "id": "call_1", "name": name, "arguments": arguments}


def usage(total: float = 0, **fields: JsonValue) -> JsonObject:
    return {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": total, **fields}


class Story:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._parent: str | None = None

    def put(self, type_: str, **fields: Maybe) -> "Story":
        entry_id = f"e{len(self.entries) + 1}"
        value = build_entry(type_, fields, entry_id=entry_id, parent_id=self._parent, timestamp=TIME)
        self.entries.append(Entry.from_value(value))
        self._parent = entry_id
        return self

    def message(self, role: str, **fields: JsonValue) -> "Story":
        return self.put("message", message={"role": role, **fields})

    def user(self, text: JsonValue) -> "Story":
        return self.message("user", content=text)

    def assistant(self, text: str, *calls: JsonValue, **fields: JsonValue) -> "Story":
        return self.message("assistant", content=[text_block(text), *calls], **fields)

    def result(self, text: str, **fields: JsonValue) -> "Story":
        return self.message("toolResult", content=[text_block(text)], **fields)

    def system(self, text: str, **fields: JsonValue) -> "Story":
        return self.message("system", content=text, timestamp=5, **fields)

    def label(self, target: str) -> "Story":
        return self.put("label", targetId=target, label="here")

    def edit(self, target: str, replacement: JsonValue) -> "Story":
        return self.put("context_edit", targetId=target, replacement=replacement)

    def omit(self, target: str) -> "Story":
        return self.edit(target, None)

    def compaction(self, summary: str, first_kept: str, **fields: JsonValue) -> "Story":
        return self.put("compaction", summary=summary, firstKeptEntryId=first_kept, **fields)

    def branch_summary(self, summary: str, **fields: JsonValue) -> "Story":
        return self.put("branch_summary", fromId="root", summary=summary, **fields)

    def at(self, entry_id: str | None) -> "Story":
        """What follows stands below that entry, or is a root."""
        self._parent = entry_id
        return self

    @property
    def tree(self) -> Tree:
        return Tree(self.entries)

    @property
    def path(self) -> list[Entry]:
        return self.tree.path(self._parent)

    def entry(self, entry_id: str) -> Entry:
        return self.entries[int(entry_id[1:]) - 1]

    def up_from(self, entry_id: str) -> Iterator[Entry]:
        tree = self.tree
        return climb(tree.get, tree.get(entry_id))
