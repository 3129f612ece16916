"""`pisess branch`: list the branches, label one, or start one."""

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault
from pisess_cli.summary_source import SummaryOptions


@options.pisess_command()
@click.argument("name", required=False, metavar="[NAME]")
@options.revision_argument(default=None)
@click.option("--at", metavar="REV", help="Start a branch there: the same as checkout REV.")
@click.option("--contains", metavar="REV", help="Only branches that have this entry.")
@click.option("-v", "--verbose", is_flag=True, help="Show date, length and where each forked off, with its last words.")
@options.force_option
@options.date_option
@options.json_option
def command(
    app: App,
    name: str | None,
    revision: str | None,
    at: str | None,
    contains: str | None,
    verbose: bool,
    force: bool,
    date_style: str | None,
    as_json: bool,
) -> None:
    """List the branches: where each ends, the current one first and marked.

    With a NAME, label REV (HEAD if none is given) and leave the leaf where it is.

    \b
    Examples:
      pisess branch -v
      pisess branch before-refactor HEAD~2
      pisess branch --at before-refactor
    """
    if (name is not None) + (at is not None) + (contains is not None) > 1:
        raise UsageFault("NAME, --at and --contains do not go together")
    session = app.open()
    resolver = app.resolver(session)
    if name is not None:
        from pisess_cli.commands.label import set_label_at

        set_label_at(app, name, revision or "HEAD", force=force)
        return
    if at is not None:
        from pisess_cli.move_leaf import move_leaf

        none = SummaryOptions(None, None, None, False, None)
        move_leaf(app, session, resolver.point(at).entry, none, force=force, dry_run=False)
        return
    from pisess_cli.core.branches import containing, list_branches
    from pisess_cli.view.branches import write_branches

    branches = list_branches(session)
    if contains is not None:
        branches = containing(session, branches, resolver.entry(contains))
    with app.terminal.paged():
        write_branches(
            app.terminal, branches, app.date_format(date_style, "relative"), verbose=verbose, as_json=as_json
        )
