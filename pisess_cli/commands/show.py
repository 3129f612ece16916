"""`pisess show`: one entry in full."""

from pisess_cli import options
from pisess_cli.app import App


@options.pisess_command()
@options.revision_argument()
@options.option("--raw", is_flag=True, help="Print the entry's text alone.")
@options.date_option
@options.json_option
def command(app: App, revision: str, raw: bool, date_style: str | None, as_json: bool) -> None:
    """Show one entry in full: text, thinking, tool calls with their arguments, results.

    At ROOT, before the first entry, that is the session's header.

    \b
    Examples:
      pisess show
      pisess show HEAD^{user}
      pisess show --json good | jq .message.usage
    """
    from pisess_cli.core.format.entry_text import entry_text
    from pisess_cli.view.entry import EntryRecord, full
    from pisess_cli.view.jsonout import write_stored_line
    from pisess_cli.view.sanitize import safe

    session, entry = app.resolver().point(revision)
    terminal = app.terminal
    if entry is None:
        entry = session.header.entry
    if as_json:
        write_stored_line(terminal, entry.raw)
    elif raw:
        text = entry_text(entry)
        terminal.line(safe(text, newlines=True) if terminal.is_tty else text)
    else:
        record = EntryRecord(entry, session.label_of(entry), is_head=session.is_head(entry))
        with terminal.paged():
            for line in full(terminal, record, app.date_format(date_style, "iso")):
                terminal.line(line)
