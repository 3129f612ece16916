"""The three steps from a tree to a context, against the rules of PI_SEMANTICS C told once more in the plainest way."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import hostile
from pisess_cli.core.context.compaction import compaction_path, prepare_compaction
from pisess_cli.core.context.explanation import explain
from pisess_cli.core.context.messages import convert_to_llm, entry_messages
from pisess_cli.core.context.projection import (
    build_context_entries,
    build_session_path,
    build_session_projection,
    context_path,
)
from pisess_cli.core.format.entries import Entry, map_key
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject
from pisess_cli.core.tree.tree import Tree

Json = dict[str, Any]


def tree_of(values: list[Json]) -> Tree:
    return Tree([Entry.from_value(value) for value in values])


trees = hostile.chains.map(tree_of)


def each_path(tree: Tree) -> list[list[Entry]]:
    return [tree.path(entry.id) for entry in tree.entries]


# The first step.


@given(hostile.chains)
def test_a_path_is_what_following_the_parents_gives(values: list[Json]) -> None:
    by_id = {value["id"]: value for value in values}
    tree = tree_of(values)

    for value in values:
        wanted = [value["id"]]
        while (parent := by_id[wanted[0]]["parentId"]) is not None:
            wanted.insert(0, parent)
        assert [entry.id for entry in build_session_path(tree, value["id"])] == wanted


@given(trees, st.sampled_from(["unknown!", "", 0, 7, UNDEFINED]))
def test_an_unknown_leaf_gives_the_path_of_the_last_entry(tree: Tree, unknown: Any) -> None:
    last = tree.entries[-1].id if tree.entries else None

    assert build_session_path(tree, unknown) == tree.path(last)
    assert build_session_path(tree, None) == []


# The second step.


def is_system(entry: Entry) -> bool:
    return entry.type == "message" and entry.role == "system"


def plain_context(path: list[Entry]) -> list[Entry]:
    """What the newest compaction on the path leaves, said once more."""
    compactions = [entry for entry in path if entry.type == "compaction"]
    if not compactions:
        return path
    newest = compactions[-1]
    before, after = path[: path.index(newest)], path[path.index(newest) + 1 :]
    kept: list[Entry] = []
    for entry in before:
        if kept or entry.id == newest.value["firstKeptEntryId"]:
            kept.append(entry)
    return [newest, *(entry for entry in kept if not is_system(entry)), *after]


@given(trees)
def test_the_newest_compaction_decides_what_is_kept(tree: Tree) -> None:
    for path in each_path(tree):
        assert build_context_entries(path) == plain_context(path)


# The third step.


def plain_messages(entry: Entry, edits: list[Entry]) -> list[JsonObject]:
    """The messages of a context entry after the last of its edits, said once more."""
    messages = entry_messages(entry)
    named = [edit.value for edit in edits if edit.value["targetId"] == entry.id]
    if not named:
        return messages
    replacement = named[-1].get("replacement", UNDEFINED)
    if replacement is None:
        return []
    edited: list[JsonObject] = []
    for message in messages:
        changed = dict(message)
        if message.get("role") in ("user", "assistant", "toolResult", "custom"):
            new = replacement.get("content", UNDEFINED) if isinstance(replacement, dict) else UNDEFINED
            if isinstance(new, str) and message["role"] in ("assistant", "toolResult"):
                new = [{"type": "text", "text": new}]
            changed.pop("content", None)
            if new is not UNDEFINED:
                changed["content"] = new  # type: ignore[assignment]  # UNDEFINED is ruled out
        edited.append(changed)
    return edited


@given(trees)
def test_each_context_entry_gives_its_messages_after_its_last_edit(tree: Tree) -> None:
    for path in each_path(tree):
        context = build_context_entries(path)
        edits = [entry for entry in context if entry.type == "context_edit"]

        projected = build_session_projection(path).entries

        assert [entry.source for entry in projected] == context
        for at, (entry, messages) in enumerate(projected):
            silent = entry.type == "compaction" and at > 0
            assert messages == ([] if silent else plain_messages(entry, edits))


@given(trees)
def test_model_and_thinking_level_are_the_last_of_the_whole_path(tree: Tree) -> None:
    for path in each_path(tree):
        model: object = None
        level: object = "off"
        for entry in path:
            value = entry.value
            message = value.get("message")
            if entry.type == "thinking_level_change":
                level = value.get("thinkingLevel", UNDEFINED)
            if entry.type == "model_change":
                model = (value.get("provider"), value.get("modelId"))
            if entry.type == "message" and isinstance(message, dict) and message.get("role") == "assistant":
                model = (message.get("provider"), message.get("model"))

        projection = build_session_projection(path)

        found = projection.model
        assert (None if found is None else (found.get("provider"), found.get("modelId"))) == model
        assert projection.thinking_level == level


@given(trees)
def test_what_the_model_gets_has_only_its_roles(tree: Tree) -> None:
    for path in each_path(tree):
        for message in convert_to_llm(build_session_projection(path).messages):
            assert message["role"] in ("system", "user", "assistant", "toolResult")


# Shorter ways to the same.


@given(trees)
def test_the_end_of_a_path_suffices_for_its_projection(tree: Tree) -> None:
    for path in each_path(tree):
        short = context_path(reversed(path))

        assert path[len(path) - len(short) :] == short
        assert build_session_projection(short) == build_session_projection(path)


@given(trees, st.sampled_from([0, 5, 20, 20_000]))
def test_the_end_of_a_path_suffices_for_its_compaction(tree: Tree, keep: int) -> None:
    for path in each_path(tree):
        assert prepare_compaction(compaction_path(reversed(path)), keep) == prepare_compaction(path, keep)


@given(trees)
def test_an_explanation_accounts_for_each_entry_and_each_token(tree: Tree) -> None:
    for path in each_path(tree):
        fates, projection = explain(path)

        assert [fate.entry for fate in fates] == path
        seen = {map_key(entry.source.id) for entry in projection.entries if entry.messages}
        assert {map_key(fate.entry.id) for fate in fates if fate.status in ("kept", "edited")} == seen
        assert all(fate.tokens == 0 for fate in fates if fate.status not in ("kept", "edited"))
