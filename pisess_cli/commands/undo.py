"""`pisess undo`: take the last write back."""

from typing import TYPE_CHECKING

from pisess_cli import options
from pisess_cli.app import App

if TYPE_CHECKING:
    from pisess_cli.core.changes.undo import Undo
    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.session.session import Session


@options.pisess_command()
@options.force_option
@options.dry_run_option
@options.json_option
def command(app: App, force: bool, dry_run: bool, as_json: bool) -> None:
    """Take the last write back, say what that was, and print the id of the entry that records it.

    That is a checkout, a branch summary, a context edit, a compaction, a label or a session name, whether pisess wrote
    it or Pi. Nothing is lost: an undo is appended too. Used again, it goes one write further back, as far as the newest
    message: what Pi has gone on from stays, and with nothing left to take back the exit code is 1.

    \b
    Examples:
      pisess undo --dry-run
      pisess undo
      pisess checkout -     # back to where the leaf was before the undo
    """
    from pisess_cli.core.changes.undo import append_undo, plan_undo
    from pisess_cli.core.session.appender import Appender

    session = app.open()
    # Asked before the file is opened for writing, which would migrate an old one for nothing.
    undo = plan_undo(session)
    if dry_run:
        _tell(app, session, undo, None, as_json=as_json)
        return
    app.refuse_inside_pi(session, force=force)
    with Appender(session.path) as appender:
        undo = plan_undo(appender.session)
        made = append_undo(appender, undo)
    _tell(app, session, undo, made, as_json=as_json)


def _tell(app: App, session: "Session", undo: "Undo", made: "Entry | None", *, as_json: bool) -> None:
    from pisess_cli.view.undo import write_undo

    head = next(session.history(undo.leaf), None) if undo.moves_leaf else session.head
    write_undo(app.terminal, undo, head, made, as_json=as_json)
