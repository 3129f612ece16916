"""`pisess new`: a session from a first message."""

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import PisessError, UsageFault


@options.pisess_command()
@options.option("-m", "--message", metavar="TEXT", help="The message.")
@options.option("-F", "--file", "message_file", metavar="FILE", help="Read the message from a file, - for stdin.")
@options.option("--to", "--cwd", "target", metavar="DIR", help="The project: the session's working directory.")
@options.option("--id", "session_id", metavar="ID", help="The id of the session.")
@options.option("--name", metavar="TEXT", help="The name of the session.")
@options.json_option
def command(
    app: App,
    message: str | None,
    message_file: str | None,
    target: str | None,
    session_id: str | None,
    name: str | None,
    as_json: bool,
) -> None:
    """Write a new session that begins with a message of yours, and print its file's path.

    The message comes from -m, from a file, or from the editor. Pi answers it together with what you say next there.

    \b
    Examples:
      pisess new -m 'Port the parser to Rust.'
      pi --session "$(pisess new -F task.md --name port)"
      git log -1 --format=%B | pisess new -F - --to ../release
    """
    from pisess_cli.core.storage.paths import absolute_path
    from pisess_cli.core.store.first_message import opening_lines
    from pisess_cli.core.store.new_sessions import plan_session, write_new
    from pisess_cli.view.jsonout import write_json

    cwd = absolute_path(target, app.cwd) if target is not None else app.cwd
    if not cwd.is_dir():
        raise PisessError(f"no such directory ({cwd})", hint="make it first: Pi opens no session without it")
    new = plan_session(app.session_dir, cwd, session_id=session_id)
    write_new(new, list(opening_lines(new, _text(app, message, message_file), name)))
    if as_json:
        write_json(app.terminal, {"path": str(new.path), "id": new.id, "cwd": new.header["cwd"], "name": name})
    else:
        app.terminal.path(str(new.path))


def _text(app: App, message: str | None, message_file: str | None) -> str:
    from pisess_cli.actions.summary_source import edited_text, read_text
    from pisess_cli.core.store.first_message import TEMPLATE

    if message is not None and message_file is not None:
        raise UsageFault("only one of -m and -F gives the message")
    if message is not None:
        return message
    # What ends a file's last line is not part of what it says.
    return edited_text(app, TEMPLATE) if message_file is None else read_text(message_file).rstrip("\r\n")
