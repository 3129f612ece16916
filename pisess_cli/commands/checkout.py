"""`pisess checkout`: move the leaf."""

from typing import TYPE_CHECKING

from pisess_cli import options
from pisess_cli.actions.summary_source import SummaryOptions
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault

if TYPE_CHECKING:
    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.session.session import Session


@options.pisess_command()
@options.revision_argument(metavar="[REV | -]", default=None)
@options.option("--root", is_flag=True, help="Go before the first entry.")
@options.option("--before", is_flag=True, help="Go to the entry's parent, to say a message anew.")
@options.option("--tip", is_flag=True, help="Go to the newest tip below the entry.")
@options.summary_options
@options.force_option
@options.dry_run_option
@options.json_option
def command(
    app: App,
    revision: str | None,
    root: bool,
    before: bool,
    tip: bool,
    message: str | None,
    message_file: str | None,
    summarizer: str | None,
    edit: bool,
    instructions: str | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Move the leaf to an entry, so that Pi goes on from there; `-` goes back to where it was before.

    The move is an entry of its own, whose id is printed; nothing is lost, and the old branch stays. With a summary
    (-m, -F, --summarizer, --edit) the model is told what happened on the branch that is left.

    \b
    Examples:
      pisess checkout HEAD~4
      pisess checkout --before HEAD^{user}
      pisess checkout good -m 'The cache idea did not work.'
      pisess checkout -
    """
    from pisess_cli.actions.move_leaf import move_leaf

    if sum((revision is not None, root)) != 1:
        raise UsageFault("say where to go: a revision, or --root")
    if root + before + tip > 1:
        raise UsageFault("--root, --before and --tip do not go together")
    session = app.open()
    target = None if root else _target(app, session, revision or "", before=before, tip=tip)
    given = SummaryOptions(message, message_file, summarizer, edit, instructions)
    move_leaf(app, session, target, given, force=force, dry_run=dry_run, as_json=as_json)


def _target(app: App, session: "Session", revision: str, *, before: bool, tip: bool) -> "Entry | None":
    from pisess_cli.core.changes.checkout import newest_tip, real_parent

    entry = app.resolver(session).own_point(revision).entry
    if before:
        if entry is None:
            raise UsageFault("nothing stands before the root")
        return real_parent(session, entry)
    return newest_tip(session, entry) if tip else entry
