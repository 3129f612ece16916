"""Speaks the oracle's line protocol over pisess_cli.core: one JSON request a line, one JSON answer a line."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pisess_cli.core.context.branch_summary import collect_entries, prepare_branch_entries
from pisess_cli.core.context.compaction import KEEP_RECENT_TOKENS, prepare_compaction
from pisess_cli.core.context.conversation_text import conversation_text
from pisess_cli.core.context.messages import convert_to_llm
from pisess_cli.core.context.projection import (
    Projection,
    build_context_entries,
    build_session_path,
    build_session_projection,
)
from pisess_cli.core.context.tokens import (
    ContextEstimate,
    estimate_context_tokens,
    estimate_projected_context_tokens,
    estimate_tokens,
)
from pisess_cli.core.errors import NotASession
from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry, map_key
from pisess_cli.core.format.javascript import JsonObject, JsonValue, Maybe
from pisess_cli.core.format.new_entries import build_header
from pisess_cli.core.reports.usage import usage_breakdown
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import Whole
from pisess_cli.core.store.directory import SessionDir
from pisess_cli.core.store.forks import branched_lines, has_conversation
from pisess_cli.core.store.listing import list_sessions
from pisess_cli.core.store.new_sessions import plan_session, write_fork
from pisess_cli.core.store.overview import joined_text
from pisess_cli.core.store.settings import Origin
from pisess_cli.core.tree.tree import Tree, TreeNode, climb


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
        return values(asked.whole.kept)
    except NotASession:
        return []


def labels(asked: Asked) -> JsonValue:
    tree = asked.tree
    return {str(entry.id): label.text for entry in tree.entries if (label := tree.labels.get(map_key(entry.id)))}


def estimated(estimate: ContextEstimate) -> JsonValue:
    return {
        "tokens": estimate.tokens,
        "usageTokens": estimate.usage_tokens,
        "trailingTokens": estimate.trailing_tokens,
        "lastUsageIndex": estimate.last_usage_index,
    }


def tokens(asked: Asked) -> JsonValue:
    projection = asked.projection
    return {
        "messages": [estimate_tokens(message) for message in projection.messages],
        "context": estimated(estimate_context_tokens(projection.messages)),
        "projected": estimated(estimate_projected_context_tokens(projection, asked.tree.path(asked.leaf))),
    }


def compaction(asked: Asked) -> JsonValue:
    settings = asked.request.get("settings")
    keep = settings.get("keepRecentTokens") if isinstance(settings, dict) else None
    keep = keep if isinstance(keep, int | float) else KEEP_RECENT_TOKENS
    prepared = prepare_compaction(asked.tree.path(asked.leaf), keep)
    if prepared is None or prepared.first_kept is None:
        return None
    return {
        "firstKeptEntryId": prepared.first_kept.id or None,
        "tokensBefore": prepared.tokens_before,
        "isSplitTurn": prepared.is_split_turn,
        "previousSummary": prepared.previous_summary,
        "messagesToSummarize": list(prepared.messages_to_summarize),
        "turnPrefixMessages": list(prepared.turn_prefix_messages),
        "fileOps": prepared.file_lists.as_details(),
    }


def branch_summary_entries(asked: Asked) -> JsonValue:
    tree = asked.tree
    old, target = (climb(tree.get, tree.get(map_key(asked.request[end]))) for end in ("old", "target"))
    left = collect_entries(old, target)
    budget = asked.request.get("budget")
    prepared = prepare_branch_entries(left.entries, budget if isinstance(budget, int) else 0)
    return {
        "ids": ids(left.entries),
        "commonAncestorId": left.common_ancestor.id or None if left.common_ancestor else None,
        "messages": list(prepared.messages),
        "totalTokens": prepared.total_tokens,
        "fileOps": prepared.file_lists.as_details(),
    }


def usage(asked: Asked) -> JsonValue:
    return [row._asdict() for row in usage_breakdown(asked.tree.entries)]


def fork(asked: Asked) -> JsonValue:
    source = Session(asked.path)
    target = SessionDir(asked.folder / "to", "flat", Origin("option"))
    new = plan_session(target, Path("/target/project"), session_id="forked-id", parent=asked.path)
    write_fork(new, source)
    made = Session(new.path)
    header = {**made.header.value, "timestamp": "<now>"}
    # Pi forgets to migrate what it forks; pisess does not, and here that is the one difference.
    entries = unmigrated(asked) if source.file.header.is_old else values(made.whole.entries)
    return scrubbed({"lines": [header, *entries], "cwd": made.header.cwd}, asked.folder)


def unmigrated(asked: Asked) -> list[JsonValue]:
    whole = asked.whole
    lines = [jsonl.decode(whole.data[slice(*span)]) for span in whole.spans if span not in whole.bad_spans]
    return [line for line in lines if not isinstance(line, dict) or line.get("type") != "session"]


def stumbles_pi(entry: Entry) -> bool:
    """Whether the entry makes Pi leave the whole session out of its list; ours shows the session all the same."""
    value = entry.value
    if entry.type == "session_info":
        return not isinstance(value.get("name"), str | None)
    if entry.type != "message":
        return False
    message = value.get("message")
    if not isinstance(message, dict):
        return message is None
    content = message.get("content", "")
    if message.get("role") not in ("user", "assistant") or isinstance(content, str):
        return False
    return not isinstance(content, list) or None in content


def info(asked: Asked) -> JsonValue:
    infos = list_sessions([asked.path])
    entries = asked.whole.entries if infos else []
    if not infos or any(map(stumbles_pi, entries)):
        return []
    messages = [entry.message for entry in entries if entry.type == "message"]
    said = [joined_text(message.get("content")) for message in messages if message.get("role") in ("user", "assistant")]
    [listed] = infos
    answer: JsonObject = {
        "id": listed.id,
        "cwd": listed.cwd,
        "created": listed.created,
        "modified": listed.modified,
        "messageCount": listed.message_count,
        "firstMessage": listed.first_message,
        "allMessagesText": " ".join(filter(None, said)),
    }
    optional = {"name": listed.name, "parentSessionPath": listed.parent_session}
    return [answer | {key: value for key, value in optional.items() if value is not None}]


def branched_session(asked: Asked) -> JsonValue:
    tree = asked.tree
    path = tree.path(asked.request["at"])
    if not path:
        raise LookupError(f"Entry {asked.request['at']} not found")
    cwd = asked.whole.header.cwd
    header = build_header("<new>", "<now>", str(Path.cwd()) if cwd is None else cwd, str(asked.path))
    known = {entry.id for entry in tree.entries if isinstance(entry.id, str)}
    lines = [jsonl.decode(line) for line in branched_lines(tree, path, header)]
    return scrubbed(
        {"written": has_conversation(path), "lines": [new_ids(line, known) for line in lines]}, asked.folder
    )


def new_ids(line: JsonValue, known: set[str]) -> JsonValue:
    """The line with what is random in it replaced: the ids of labels that were made anew."""
    if not isinstance(line, dict) or line.get("type") != "label":
        return line
    ids = {key: line[key] for key in ("id", "parentId") if key in line}
    return line | {key: "<new>" if isinstance(id_, str) and id_ not in known else id_ for key, id_ in ids.items()}


def values(entries: list[Entry]) -> list[JsonValue]:
    return [jsonl.decode(entry.raw) for entry in entries]


def scrubbed(value: JsonValue, folder: Path) -> JsonValue:
    return jsonl.decode(jsonl.stringify(value).replace(str(folder), "<dir>").encode())


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
    "fork": fork,
    "info": info,
    "branched_session": branched_session,
    "llm": lambda asked: list(convert_to_llm(asked.projection.messages)),
    "tokens": tokens,
    "serialize": lambda asked: conversation_text(asked.projection.messages),
    "prepare_compaction": compaction,
    "branch_summary_entries": branch_summary_entries,
    "usage": usage,
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
