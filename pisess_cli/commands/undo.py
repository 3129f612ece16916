"""`pisess undo`: take the last write back."""

from typing import TYPE_CHECKING

from pisess_cli import options
from pisess_cli.app import App

if TYPE_CHECKING:
    from pisess_cli.core.session import Session
    from pisess_cli.core.undo import Undo


@options.pisess_command()
@options.force_option
@options.dry_run_option
def command(app: App, force: bool, dry_run: bool) -> None:
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
    from pisess_cli.core.undo import append_undo, plan_undo
    from pisess_cli.core.writer import Appender

    session = app.open()
    # Asked before the file is opened for writing, which would migrate an old one for nothing.
    undo = plan_undo(session)
    if dry_run:
        _say(app, "would take back", session, undo)
        return
    app.refuse_inside_pi(session, force=force)
    with Appender(session.path) as appender:
        undo = plan_undo(appender.session)
        made = append_undo(appender, undo)
    app.terminal.line(str(made.id))
    _say(app, "took back", session, undo)


def _say(app: App, verb: str, session: "Session", undo: "Undo") -> None:
    from pisess_cli.view.undo import undo_lines

    head = next(session.history(undo.leaf), None) if undo.moves_leaf else None
    app.terminal.note(f"{verb}: " + "\n".join(undo_lines(undo, head)))
