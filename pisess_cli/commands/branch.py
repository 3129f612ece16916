"""`pisess branch`: list the branches, label one, or start one."""

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault


@options.pisess_command()
@click.argument("name", required=False, metavar="[NAME]")
@options.revision_argument(default=None)
@options.option("--at", metavar="REV", help="Start a branch there: the same as checkout REV.")
@options.option("--contains", metavar="REV", help="Only branches that have this entry.")
@options.option(
    "-v", "--verbose", is_flag=True, help="Show date, length and where each forked off, with its last words."
)
@options.option("--tree", is_flag=True, help="Draw the whole session's shape, runs of entries as counts, oldest first.")
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
    tree: bool,
    force: bool,
    date_style: str | None,
    as_json: bool,
) -> None:
    """List the branches: where each ends, the current one first and marked.

    With a NAME, label REV (HEAD if none is given) and leave the leaf where it is. --tree folds the smallest branches
    away until the drawing fits the terminal; in a pipe, and with -v, it has them all.

    \b
    Examples:
      pisess branch -v
      pisess branch before-refactor HEAD~2
      pisess branch --at before-refactor
      pisess branch --tree
    """
    if (name is not None) + (at is not None) + (contains is not None) + tree > 1:
        raise UsageFault("NAME, --at, --contains and --tree do not go together")
    session = app.open()
    resolver = app.resolver(session)
    if name is not None:
        from pisess_cli.commands.label import set_label_at

        set_label_at(app, name, revision or "HEAD", force=force, as_json=as_json)
        return
    if at is not None:
        from pisess_cli.actions.move_leaf import move_leaf
        from pisess_cli.actions.summary_source import SummaryOptions

        none = SummaryOptions(None, None, None, False, None)
        move_leaf(app, session, resolver.own_point(at).entry, none, force=force, dry_run=False, as_json=as_json)
        return
    if tree:
        from pisess_cli.core.reports.outline import outline
        from pisess_cli.view.branch_tree import write_branch_tree

        with app.terminal.paged():
            write_branch_tree(app.terminal, outline(session), fold_to_fit=not verbose, as_json=as_json)
        return
    from pisess_cli.core.session.branches import containing, list_branches
    from pisess_cli.view.branches import write_branches

    branches = list_branches(session)
    if contains is not None:
        branches = containing(session, branches, resolver.own_entry(contains))
    with app.terminal.paged():
        write_branches(
            app.terminal, branches, app.date_format(date_style, "relative"), verbose=verbose, as_json=as_json
        )
