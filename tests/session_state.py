"""What a session says at a moment, apart from how its file says it."""

from pathlib import Path
from typing import NamedTuple

from pisess_cli.core.format.entries import Key
from pisess_cli.core.format.jsonl import stringify
from pisess_cli.core.session.session import Session


class State(NamedTuple):
    """What the model sees and from which entries, model and thinking level, labels, the name."""

    seen: list[tuple[Key, str]]
    settings: str
    labels: dict[Key, str]
    name: str | None


def session_state(file: Path) -> State:
    opened = Session(file)
    projection = opened.projection(opened.leaf)
    seen = [(entry.source.key, stringify(list(entry.messages))) for entry in projection.entries if entry.messages]
    labels = {target: stringify(label.text) for target, label in opened.tree.labels.items()}
    return State(seen, repr((projection.model, projection.thinking_level)), labels, opened.tree.name)
