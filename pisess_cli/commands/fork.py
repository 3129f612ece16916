"""`pisess fork`: a new session file from an old one."""

import click

from pisess_cli import options
from pisess_cli.app import App


@options.pisess_command()
@click.argument("source", required=False, metavar="[SESSION]")
@options.option("--to", "target", metavar="DIR", help="The project of the new session: its working directory.")
@options.option("--at", metavar="REV", help="Only the path to this entry, with the labels on it.")
@options.option("--id", "session_id", metavar="ID", help="The id of the new session.")
@options.option("--name", metavar="TEXT", help="The name of the new session.")
@options.dry_run_option
@options.json_option
def command(
    app: App,
    source: str | None,
    target: str | None,
    at: str | None,
    session_id: str | None,
    name: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy a session into a new file, or with --at the path to an entry alone, and print the new file's path.

    The old session stays as it is; the new one names it as its parent.

    \b
    Examples:
      pisess fork --to ../other-project
      pisess fork --at good --name 'second try'
      pi --session "$(pisess fork --at HEAD~4)"
    """
    from pisess_cli.core.format.new_entries import session_info_fields
    from pisess_cli.core.storage.paths import absolute_path
    from pisess_cli.core.store.new_sessions import path_to_fork, plan_session, write_branched, write_fork
    from pisess_cli.view.jsonout import write_json

    session = app.open(source)
    cwd = absolute_path(session.header.cwd or "." if target is None else target, app.cwd)
    new = plan_session(app.session_dir, cwd, session_id=session_id, parent=session.path)
    path = path_to_fork(session, app.resolver(session).own_entry(at)) if at is not None else None
    named = None if name is None else session_info_fields(name)
    if dry_run:
        app.terminal.note(f"would write {new.path}")
    elif path is not None:
        write_branched(new, session, path)
    else:
        write_fork(new, session)
    if named is not None and not dry_run:
        from pisess_cli.core.session.appender import Appender

        with Appender(new.path) as appender:
            appender.append("session_info", named)
    if not cwd.is_dir():
        app.terminal.note(f"no such directory; Pi needs it to open the new session ({cwd})")
    if as_json:
        described = {key: new.header[key] for key in ("id", "cwd", "parentSession")}
        stored = str(named["name"]) or None if named else None
        write_json(app.terminal, {"path": str(new.path), **described, "name": stored})
    elif not dry_run:
        app.terminal.path(str(new.path))
