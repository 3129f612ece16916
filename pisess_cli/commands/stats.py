"""`pisess stats`: tokens and cost."""

from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault
from pisess_cli.core.reports.usage_keys import GROUPINGS, By, Question

if TYPE_CHECKING:
    from pisess_cli.core.reports.stats import Stats


@options.pisess_command()
@options.option(
    "--by",
    type=click.Choice(GROUPINGS),
    metavar="KEY",
    default="model",
    help=f"A row for each {', '.join(GROUPINGS[:-1])} or {GROUPINGS[-1]}; model if not given.",
)
@options.option("--all", "every", is_flag=True, help="Count all sessions, of all projects.")
@options.option(
    "--branch",
    "branch",
    metavar="[REV]",
    is_flag=False,
    flag_value="LEAF",
    help="Count one branch: the current one, or the one that ends at REV.",
)
@options.since_option
@options.until_option
@options.option("--utc", is_flag=True, help="Days are those of UTC, not of the local zone.")
@options.json_option
def command(
    app: App,
    by: By,
    every: bool,
    branch: str | None,
    since: float | None,
    until: float | None,
    utc: bool,
    as_json: bool,
) -> None:
    """Show what a session has used: tokens, cache included, and dollars, of all its branches, as Pi counts them.

    Answers, tool results, compactions, branch summaries and usage entries carry usage. What several sessions have in
    common through forks counts once, for the oldest of them.

    With `--by tool`, an answer's usage is divided evenly among the tool calls in it, and a result's own usage counts
    for its tool. Answers without a call and summaries belong to no tool.

    \b
    Examples:
      pisess stats
      pisess stats --branch good --by tool
      pisess stats --all --by day --since '2 weeks ago'
      pisess stats --all --by project --json | jq -r '.rows[] | [.cost, .project] | @tsv'
    """
    from pisess_cli.view.stats import write_stats

    if every and branch is not None:
        raise UsageFault("--all and --branch do not go together")
    question = Question(by, utc, since, until)
    stats = _of_all(app, question) if every else _of_one(app, branch, question)
    with app.terminal.paged():
        write_stats(app.terminal, stats, by, as_json=as_json)


def _of_one(app: App, branch: str | None, question: Question) -> "Stats":
    from pisess_cli.core.reports.stats import entry_stats

    session = app.open()
    if branch is None:
        return entry_stats(session.whole.entries, session.header, question)
    session, end = app.resolver(session).point("LEAF" if branch == "HEAD" else branch)
    return entry_stats(session.path_to(end), session.header, question)


def _of_all(app: App, question: Question) -> "Stats":
    from pisess_cli.core.reports.stats import all_stats
    from pisess_cli.core.store.directory import session_files

    paths = session_files(app.session_dir.path)
    with app.terminal.progress(len(paths), "reading sessions") as progress:
        stats = all_stats(paths, question, progress.advance)
    if stats.skipped:
        lines = "1 line is" if stats.skipped == 1 else f"{stats.skipped} lines are"
        app.terminal.note(f"{lines} no JSON and skipped; pisess fsck tells more")
    return stats
