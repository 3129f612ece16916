"""How a session begins that is opened by a message, before Pi has added its system message."""

from collections.abc import Iterator

from pisess_cli.core.appends import message_fields, session_info_fields
from pisess_cli.core.entries import build_entry, line_of, new_id
from pisess_cli.core.errors import Refused
from pisess_cli.core.jsonl import JsonObject, Maybe, js_trim
from pisess_cli.core.messages import text_block
from pisess_cli.core.new_sessions import NewSession
from pisess_cli.core.summaries import SCISSORS
from pisess_cli.core.times import iso, now_ms

TEMPLATE = f"""

{SCISSORS}
Write the first message of the new session above that line.
An empty message aborts.
"""


def user_message(text: str, timestamp_ms: int) -> JsonObject:
    """A message of the user as Pi's command line writes it: its content is a list of blocks (PI_DETAILS G1)."""
    return {"role": "user", "content": [text_block(text)], "timestamp": timestamp_ms}


def opening_lines(new: NewSession, text: str, name: str | None = None) -> Iterator[bytes]:
    """The lines of a new session: header, its name if it gets one, the message. Raises `Refused` for an empty one.

    The name comes first, as it does after `pi --name`, so that the session's last entry is the message.
    """
    if not js_trim(text):
        raise Refused("the message is empty, so nothing was written")
    moment = now_ms()
    entries: list[tuple[str, dict[str, Maybe]]] = [("message", message_fields(user_message(text, moment)))]
    if name is not None:
        entries.insert(0, ("session_info", session_info_fields(name)))
    yield line_of(new.header)
    taken: list[object] = []
    for type_, fields in entries:
        entry_id = new_id(taken)
        parent_id = str(taken[-1]) if taken else None
        yield line_of(build_entry(type_, fields, entry_id=entry_id, parent_id=parent_id, timestamp=iso(moment)))
        taken.append(entry_id)
