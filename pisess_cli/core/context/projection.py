"""From the tree to the model's context, in Pi's three steps (PI_SEMANTICS C)."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pisess_cli.core.context.messages import project_entry
from pisess_cli.core.format.entries import Entry, Key, map_key
from pisess_cli.core.format.javascript import UNDEFINED, JsonObject, Maybe, defined
from pisess_cli.core.tree.tree import Tree, climb


class ProjectedEntry(NamedTuple):
    """A context entry and the messages that it gives there."""

    source: Entry
    messages: list[JsonObject]


class Settings(NamedTuple):
    """The model (`provider`, `modelId`) and the thinking level that a path ends with."""

    model: JsonObject | None
    thinking_level: Maybe


class Projection(NamedTuple):
    """What the model would be sent: context entries in order, with their messages; model and thinking level."""

    entries: list[ProjectedEntry]
    model: JsonObject | None
    thinking_level: Maybe

    @property
    def messages(self) -> list[JsonObject]:
        """The messages of all entries, in order."""
        return [message for entry in self.entries for message in entry.messages]

    def as_json(self) -> JsonObject:
        """The projection as `show-context --json` prints it."""
        entries = [
            defined({"id": entry.source.id, "type": entry.source.type, "messages": list(entry.messages)})
            for entry in self.entries
        ]
        return defined({"entries": list(entries), "model": self.model, "thinkingLevel": self.thinking_level})


def build_session_path(tree: Tree, leaf_id: Maybe) -> list[Entry]:
    """The path from the root to the leaf; none for the leaf `None`, that of the last entry for an unknown one."""
    if leaf_id is None or not tree.entries:
        return []
    known = tree.get(map_key(leaf_id)) if leaf_id else None
    path = list(climb(tree.get, known or tree.entries[-1]))
    path.reverse()
    return path


def build_context_entries(path: Sequence[Entry]) -> list[Entry]:
    """The entries of a path that its newest compaction leaves: itself, what it kept, and all that came after it."""
    newest = next((index for index in range(len(path) - 1, -1, -1) if path[index].type == "compaction"), None)
    if newest is None:
        return list(path)
    compaction = path[newest]
    first_kept = first_kept_id(compaction)
    before = path[:newest]
    start = next((index for index, entry in enumerate(before) if entry.key == first_kept), newest)
    kept = [entry for entry in before[start:] if not (entry.type == "message" and entry.role == "system")]
    return [compaction, *kept, *path[newest + 1 :]]


def first_kept_id(compaction: Entry) -> Key:
    """The id of the first entry that a compaction keeps, as a key."""
    return map_key(compaction.value.get("firstKeptEntryId", UNDEFINED))


def context_edits(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """The context edits among the entries that count, by their target: the last one for each."""
    return {map_key(entry.target_id): entry for entry in entries if entry.type == "context_edit"}


def build_session_projection(path: Sequence[Entry]) -> Projection:
    """What the model would be sent at the end of the path."""
    return project(build_context_entries(path), path_settings(reversed(path)))


def project(context: Sequence[Entry], settings: Settings) -> Projection:
    """The projection of context entries, with settings that are known already."""
    edits = context_edits(context)
    projected = [
        # Only the compaction that begins the context is told to the model; older ones in the kept range are not.
        ProjectedEntry(
            entry, [] if entry.type == "compaction" and index else project_entry(entry, edits.get(entry.key))
        )
        for index, entry in enumerate(context)
    ]
    return Projection(projected, settings.model, settings.thinking_level)


def path_settings(newest_first: Iterable[Entry]) -> Settings:
    """The settings at the end of a path: the newest thinking level, and model of a change or an answer."""
    model: JsonObject | None = None
    thinking_level: Maybe = None
    level_found = False
    for entry in newest_first:
        if model is None:
            model = _model_of(entry)
        if not level_found and entry.type == "thinking_level_change":
            thinking_level = entry.value.get("thinkingLevel", UNDEFINED)
            level_found = True
        if level_found and model is not None:
            break
    return Settings(model, thinking_level if level_found else "off")


def _model_of(entry: Entry) -> JsonObject | None:
    if entry.type == "model_change":
        value = entry.value
        return defined({"provider": value.get("provider", UNDEFINED), "modelId": value.get("modelId", UNDEFINED)})
    if entry.type == "message" and entry.role == "assistant":
        message = entry.message
        return defined({"provider": message.get("provider", UNDEFINED), "modelId": message.get("model", UNDEFINED)})
    return None


def context_path(
    newest_first: Iterable[Entry], level_above: Callable[[Entry], Entry | None] | None = None
) -> list[Entry]:
    """The end of a path that suffices for its context and settings, root side first.

    Reading stops at the entry that the newest compaction keeps first, once model and thinking level are known too, so
    that a long session need not be read whole. Where the level alone is missing then, `level_above` is asked for the
    entry above that sets it, which stands before the others. The projection of the result is that of the whole path.
    """
    taken: list[Entry] = []
    wanted: Key | None = None
    compacted = kept = has_model = has_level = False
    for entry in newest_first:
        taken.append(entry)
        has_level = has_level or entry.type == "thinking_level_change"
        has_model = has_model or entry.type == "model_change" or entry.role == "assistant"
        if compacted:
            kept = kept or entry.key == wanted
        elif entry.type == "compaction":
            compacted, wanted = True, first_kept_id(entry)
            # One that keeps nothing names itself.
            kept = entry.key == wanted
        if kept and has_model and has_level:
            break
        if kept and has_model and level_above is not None:
            level = level_above(entry)
            taken += [] if level is None else [level]
            break
    taken.reverse()
    return taken
