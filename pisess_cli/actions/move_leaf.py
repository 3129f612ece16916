"""Moving the leaf, for the commands that do: plan, ask for a summary, write, say what was done."""

from typing import TYPE_CHECKING

from pisess_cli.actions.summary_source import SummaryOptions, SummaryTask, read_summary
from pisess_cli.app import App

if TYPE_CHECKING:
    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.session.session import Session


def move_leaf(
    app: App,
    session: "Session",
    target: "Entry | None",
    given: SummaryOptions,
    *,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Moves the leaf of the session to the target (None: before the first entry) and shows the new entry."""
    from pisess_cli.core.changes.checkout import is_there, left_branch, move
    from pisess_cli.core.context import branch_summary
    from pisess_cli.core.format.entry_text import subject
    from pisess_cli.core.session.appender import Appender
    from pisess_cli.view.made import write_made

    place = f"{target.id} ({subject(target)[:60]})" if target is not None else "before the first entry"
    if is_there(session, target):
        app.terminal.note(f"the leaf is there already: {place}")
        write_made(app.terminal, None, as_json=as_json)
        return
    left = left_branch(session, target) if given.given else None
    if dry_run:
        told = f", with a summary of {len(left.messages)} messages" if left else ""
        app.terminal.note(f"would move the leaf to {place}{told}")
        write_made(app.terminal, None, as_json=as_json)
        return
    app.refuse_inside_pi(session, force=force)
    summary = details = None
    if left is not None:
        task = SummaryTask(
            prompts=lambda instructions: [branch_summary.branch_prompt(left, instructions)],
            join=lambda answers: answers[0],
            template=lambda: branch_summary.branch_template(left),
        )
        summary = branch_summary.finish_branch_summary(left, read_summary(app, given, task))
        details = left.file_lists.as_details()
    with Appender(session.path) as appender:
        made = move(appender, target, summary=summary, details=details)
    write_made(app.terminal, made, as_json=as_json)
    app.terminal.note(f"the leaf is now {place}; pisess checkout - goes back")
