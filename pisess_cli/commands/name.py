"""`pisess name`: the name of a session."""

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import NotFound, UsageFault


@options.pisess_command()
@click.argument("text", required=False, metavar="[TEXT]")
@options.option("-d", "--delete", is_flag=True, help="Take the name away.")
@options.json_option
def command(app: App, text: str | None, delete: bool, as_json: bool) -> None:
    """Show the session's name, or give it one, by which it can then be selected with -s.

    Without a name, showing it fails with exit code 1. Setting one prints the new entry's id.

    \b
    Examples:
      pisess name
      pisess name 'the parser rewrite'
      pisess -s 'the parser rewrite' log
    """
    if delete and text is not None:
        raise UsageFault("-d takes the name away, so there is no new one")
    if delete or text is not None:
        _set(app, "" if text is None else text, delete=delete, as_json=as_json)
        return
    from pisess_cli.view.jsonout import write_json
    from pisess_cli.view.sanitize import safe

    session = app.open()
    name = session.name
    if as_json:
        write_json(app.terminal, {"name": name})
    if name is None:
        raise NotFound(f"the session has no name ({session.path})", hint="pisess name TEXT gives it one")
    if not as_json:
        app.terminal.line(safe(name) if app.terminal.is_tty else name)


def _set(app: App, text: str, *, delete: bool, as_json: bool) -> None:
    from pisess_cli.core.changes.session_name import clear_name, set_name
    from pisess_cli.core.format.entries import session_name
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.view.jsonout import write_json

    with Appender(app.find_session(None)) as appender:
        made = clear_name(appender) if delete else set_name(appender, text)
    if made is None:
        app.terminal.note("that is its name already")
    if as_json:
        name = session_name(made) if made else appender.session.name
        write_json(app.terminal, {"id": str(made.id) if made else None, "name": name})
    elif made is not None:
        app.terminal.line(str(made.id))
