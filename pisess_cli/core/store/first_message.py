"""How a session begins that is opened by a message, before Pi has added its system message."""

from collections.abc import Iterator

from pisess_cli.core.context.summary_prompts import SCISSORS
from pisess_cli.core.errors import Refused
from pisess_cli.core.format.content import user_message
from pisess_cli.core.format.ids import new_id
from pisess_cli.core.format.javascript import Maybe, js_trim
from pisess_cli.core.format.new_entries import build_entry, line_of, message_fields, session_info_fields
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.store.new_sessions import NewSession

TEMPLATE = f"""

{SCISSORS}
Write the first message of the new session above that line.
An empty message aborts.
"""


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
