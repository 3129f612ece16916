"""The name of a session, set and taken away; `Session.name` is what it is (PI_SEMANTICS B)."""

from pisess_cli.core.errors import NotFound, UsageFault
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.new_entries import session_info_fields
from pisess_cli.core.session.appender import Appender


def set_name(appender: Appender, name: str) -> Entry | None:
    """Gives the session a name, in one line as Pi stores it; None if it has that name. Raises `UsageFault` if empty."""
    fields = session_info_fields(name)
    if not fields["name"]:
        raise UsageFault("a session's name cannot be empty", hint="pisess name -d takes it away")
    if fields["name"] == appender.session.name:
        return None
    return appender.append("session_info", fields)


def clear_name(appender: Appender) -> Entry:
    """Takes the session's name away. Raises `NotFound` if it has none."""
    if appender.session.name is None:
        raise NotFound(f"the session has no name ({appender.path})")
    return appender.append("session_info", session_info_fields(""))
