"""Speaks the oracle's line protocol over pisess_cli.core: one JSON request a line, one JSON answer a line."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pisess_cli.core import jsonl
from pisess_cli.core.entries import Entry, map_key
from pisess_cli.core.errors import NotASession
from pisess_cli.core.jsonl import JsonObject, JsonValue, Maybe
from pisess_cli.core.messages import convert_to_llm
from pisess_cli.core.projection import Projection, build_context_entries, build_session_path, build_session_projection
from pisess_cli.core.reader import SessionFile, Whole
from pisess_cli.core.tree import Tree, TreeNode


class Asked:
    """A session of a request, in a file of its own, and the leaf that the request moves."""

    def __init__(self, request: JsonObject, folder: Path) -> None:
        self.request = request
        self.path = folder / "2026-01-01T00-00-00-000Z_session.jsonl"
        self.path.write_bytes(str(request["text"]).encode("latin-1"))
        self.folder = folder

    @property
    def whole(self) -> Whole:
        return Whole(SessionFile(self.path))

    @property
    def tree(self) -> Tree:
        return Tree(self.whole.entries)

    @property
    def leaf(self) -> Maybe:
        tree = self.tree
        if "leaf" not in self.request:
            return tree.leaf_id
        leaf = self.request["leaf"]
        if leaf is not None and tree.get(map_key(leaf)) is None:
            raise LookupError(f"Entry {leaf} not found")
        return leaf

    @property
    def context_path(self) -> list[Entry]:
        return build_session_path(self.tree, self.leaf)

    @property
    def projection(self) -> Projection:
        return build_session_projection(self.context_path)


def nested(nodes: list[TreeNode]) -> JsonValue:
    """The tree as nested objects, made without recursion; what would stand below itself is cut."""
    made: list[JsonValue] = []
    stack: list[tuple[TreeNode, list[JsonValue], frozenset[int]]] = [
        (node, made, frozenset()) for node in reversed(nodes)
    ]
    while stack:
        node, into, above = stack.pop()
        if id(node.entry) in above:
            continue
        children: list[JsonValue] = []
        label = node.label
        into.append(
            {
                "id": node.entry.id or None,
                "label": label.text if label else None,
                "labelTimestamp": (label.timestamp or None) if label else None,
                "children": children,
            }
        )
        below = above | {id(node.entry)} if len(above) < 500 else above
        stack += [(child, children, below) for child in reversed(node.children)]
    return made


def ids(entries: list[Entry]) -> JsonValue:
    return [entry.id or None for entry in entries]


def load(asked: Asked) -> JsonValue:
    try:
        return [jsonl.decode(entry.raw) for entry in asked.whole.kept]
    except NotASession:
        return []


def labels(asked: Asked) -> JsonValue:
    tree = asked.tree
    return {str(entry.id): label.text for entry in tree.entries if (label := tree.labels.get(map_key(entry.id)))}


OPS: dict[str, Callable[[Asked], JsonValue]] = {
    "load": load,
    "leaf": lambda asked: asked.leaf or None,
    "header": lambda asked: asked.whole.header.value,
    "session_name": lambda asked: asked.tree.name,
    "labels": labels,
    "tree": lambda asked: nested(asked.tree.nodes()),
    "path": lambda asked: ids(asked.tree.path(asked.request.get("from") or asked.leaf)),
    "children": lambda asked: ids(asked.tree.children(asked.request["parent"])),
    "context_entries": lambda asked: ids(build_context_entries(asked.context_path)),
    "projection": lambda asked: asked.projection.as_json(),
    "llm": lambda asked: list(convert_to_llm(asked.projection.messages)),
}


def answer(request: JsonObject) -> JsonObject:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return {"ok": True, "value": OPS[str(request["op"])](Asked(request, Path(folder)))}
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is the answer
            return {"ok": False, "error": f"{type(error).__name__}: {error}"}


for line in sys.stdin.buffer:
    asked_for = jsonl.decode(line)
    if isinstance(asked_for, dict):
        sys.stdout.buffer.write(jsonl.stringify(answer(asked_for)).encode() + b"\n")
        sys.stdout.buffer.flush()
