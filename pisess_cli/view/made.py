"""What a command shows of the entry that it has written."""

from pisess_cli.core.format.entries import Entry
from pisess_cli.view.jsonout import write_json, write_stored_line
from pisess_cli.view.terminal import Terminal


def write_made(terminal: Terminal, made: Entry | None, *, as_json: bool) -> None:
    """Writes its id, as JSON the line as it now stands in the file; of None, where nothing was written, no id."""
    if not as_json:
        if made is not None:
            terminal.line(str(made.id))
    elif made is None:
        write_json(terminal, {"id": None})
    else:
        write_stored_line(terminal, made.raw)
