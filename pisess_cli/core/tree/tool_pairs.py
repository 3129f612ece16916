"""Tool calls and their results, paired along the paths of a session.

A result belongs to the nearest assistant message above it, with no user message between them: that is how models want
it. Pi answers a call without a result itself when it sends the context, but sends a result without a call as it is.
"""

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from pisess_cli.core.format.content import tool_calls
from pisess_cli.core.format.entries import Entry, Key, map_key
from pisess_cli.core.format.javascript import UNDEFINED, Maybe, shown
from pisess_cli.core.tree.references import Links, depth_first

_FAILED = ("error", "aborted")


class Unpaired(NamedTuple):
    """A call or a result: the place of its message, the call's id, the tool's name. `again`: a second result."""

    place: int
    call_id: Maybe
    tool: str
    again: bool = False


class ToolPairs(NamedTuple):
    """What has no counterpart, in no particular order.

    `unanswered` calls were passed over by the conversation; `pending` ones have nothing said after them yet. A call
    that has its result on one branch counts as answered on all: others may have left before it.
    """

    stray_results: list[Unpaired]
    unanswered: list[Unpaired]
    pending: list[Unpaired]


class _Turn:
    # An assistant message on the way down: its calls, those answered on this path, and those answered on any.
    def __init__(self, entry: Entry, place: int) -> None:
        message = entry.message
        self.calls: dict[Key, Unpaired] = {}
        for call in tool_calls(message):
            call_id = call.get("id", UNDEFINED)
            self.calls[map_key(call_id)] = Unpaired(place, call_id, shown(call.get("name", UNDEFINED)))
        # What a failed attempt calls for is never run.
        self.unanswered = set() if message.get("stopReason") in _FAILED else set(self.calls)
        self.answered: set[Key] = set()
        self.went_on = False

    @property
    def missed(self) -> Iterator[Unpaired]:
        return (call for call_id, call in self.calls.items() if call_id in self.unanswered)


def omitted(entries: Sequence[Entry], links: Links) -> set[int]:
    """The places of the entries that a context edit takes out of the context: Pi does it with attempts that failed."""
    edits = ((place, entry) for place, entry in enumerate(entries) if entry.type == "context_edit")
    targets = (links.find(edit.target_id, place) for place, edit in edits if edit.value.get("replacement", 0) is None)
    return {target for target in targets if target is not None}


def pair_tools(entries: Sequence[Entry], parents: Sequence[int | None], without: Container[int] = ()) -> ToolPairs:
    """The calls and results of a session that miss each other, but for messages at the places `without`.

    `parents` are places, without circles.
    """
    pairs = ToolPairs([], [], [])
    turns: list[_Turn | None] = [None]
    answers: dict[int, Key] = {}
    for place, entering in depth_first(parents):
        entry = entries[place]
        turn = turns[-1]
        if entry.role == "toolResult":
            if not entering:
                if turn and place in answers:
                    turn.answered.discard(answers.pop(place))
                continue
            call_id, stray = _answer(turn, entry, place)
            if stray and place not in without:
                pairs.stray_results.append(stray)
            elif not stray:
                answers[place] = call_id
        elif entry.role in ("user", "assistant"):
            if not entering:
                closed = turns.pop()
                if closed and place not in without:
                    (pairs.unanswered if closed.went_on else pairs.pending).extend(closed.missed)
                continue
            if turn:
                turn.went_on = True
            turns.append(_Turn(entry, place) if entry.role == "assistant" else None)
    return pairs


def _answer(turn: _Turn | None, result: Entry, place: int) -> tuple[Key, Unpaired | None]:
    message = result.message
    call_id = map_key(message.get("toolCallId", UNDEFINED))
    again = turn is not None and call_id in turn.answered
    if turn is None or again or call_id not in turn.calls:
        name = shown(message.get("toolName", UNDEFINED))
        return call_id, Unpaired(place, message.get("toolCallId", UNDEFINED), name, again)
    turn.answered.add(call_id)
    turn.unanswered.discard(call_id)
    return call_id, None
