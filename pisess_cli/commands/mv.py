"""`pisess mv`: a session whose project has moved."""

import click

from pisess_cli import options
from pisess_cli.app import App

_SHOWN = 5


@options.pisess_command()
@click.argument("selector", required=False, metavar="[SESSION]")
@options.option("--to", "target", metavar="DIR", required=True, help="Where the project is now.")
@options.dry_run_option
def command(app: App, selector: str | None, target: str, dry_run: bool) -> None:
    """Tell a session where its project is now, and print where its file is then.

    The directory in the session's header changes, and nothing else in it. Where each project has a folder for its
    sessions, as in Pi's own directory, the file goes to the folder of the new one.

    \b
    Examples:
      pisess mv 01997f3e --to ~/src/app
      cd ~/src/app && pisess mv 'the parser' --to .
    """
    from pisess_cli.core.storage.paths import absolute_path
    from pisess_cli.core.store.moving import move_session, named_as_parent, plan_move
    from pisess_cli.core.store.running_pi import refuse_to_take_from_pi

    session = app.open(selector)
    move = plan_move(session, absolute_path(target, app.cwd))
    if move.changes_nothing:
        app.terminal.note(f"the session is there already ({move.cwd})")
    elif dry_run:
        app.terminal.note(f"would change the directory from {move.old_cwd or 'none'} to {move.cwd}")
    else:
        refuse_to_take_from_pi(session.path, app.environment)
        move_session(move)
    if move.source != move.target:
        forks = named_as_parent(app.session_dir.path, move.source)
        for path in forks[:_SHOWN]:
            app.terminal.note(f"names the old file as its parent, and is left as it is ({path})")
        if forks[_SHOWN:]:
            app.terminal.note(f"so do {len(forks) - _SHOWN} more")
    app.terminal.path(str(move.target))
