"""`pisess log`: the entries of a branch, newest first."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, repeat
from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault
from pisess_cli.core.search.entry_filter import EntryFilter, check_roles
from pisess_cli.core.session.revisions import compile_pattern, range_entries
from pisess_cli.core.tree.history import GraphRow, History

if TYPE_CHECKING:
    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.session.session import Session


@options.pisess_command()
@options.revision_argument(metavar="[REV | A..B]", default="LEAF")
@options.option("--graph", is_flag=True, help="Draw the branches beside the entries.")
@options.option("--all", "every", is_flag=True, help="Show the entries of all branches.")
@options.option("--oneline", is_flag=True, help="One line an entry.")
@options.option("--reverse", is_flag=True, help="Show the oldest first.")
@options.option("-n", "--max-count", "count", type=click.IntRange(min=0), metavar="N", help="Show N entries at most.")
@options.type_option
@options.role_option
@options.option("--grep", metavar="REGEX", help="Only entries whose text matches.")
@options.option("-i", "--ignore-case", is_flag=True, help="--grep pays no attention to case.")
@options.since_option
@options.until_option
@options.option("--full", is_flag=True, help="Show bookkeeping entries too (labels, settings, system messages).")
@options.option("-p", "--patch", is_flag=True, help="Show the whole content of each entry.")
@options.option("--stat", is_flag=True, help="Show tokens, cost and files of each entry.")
@options.format_option
@options.date_option
@options.json_option
@options.null_option
@options.option("--follow", is_flag=True, help="Stay, and show entries as they are written.")
def command(
    app: App,
    revision: str,
    graph: bool,
    every: bool,
    oneline: bool,
    reverse: bool,
    count: int | None,
    types: tuple[str, ...],
    roles: tuple[str, ...],
    grep: str | None,
    ignore_case: bool,
    since: float | None,
    until: float | None,
    full: bool,
    patch: bool,
    stat: bool,
    template: str | None,
    date_style: str | None,
    as_json: bool,
    null: bool,
    follow: bool,
) -> None:
    """Show the entries of a branch, newest first: of the current one, of the one that ends at REV, or of a range.

    History entries are shown: messages, summaries and context edits. `A..B` is what is on B's path and not on A's.

    \b
    Examples:
      pisess log --oneline -n 10
      pisess log --graph --all
      pisess log good..HEAD --role user
      pisess log --json --full | jq -r .type
    """
    from pisess_cli.view.log import LogStyle, LogView

    pattern = None if grep is None else compile_pattern(grep, ignore_case=ignore_case)
    if graph and (reverse or as_json or follow):
        raise UsageFault("--graph goes with none of --reverse, --json and --follow")
    wanted = EntryFilter(types, check_roles(roles), pattern, since, until, full)
    date = app.date_format(date_style, "relative")
    session, candidates = _candidates(app, revision, every=every, graph=graph)
    style = LogStyle(date, oneline, patch, stat, as_json, template, null)
    view = LogView(app.terminal, style, session)
    with app.terminal.paged():
        if graph:
            # What bookkeeping is asked for has to be in the graph to be shown.
            with_bookkeeping = full or bool(types or roles)
            if every and not (patch or stat or template or grep):
                session.read_digests()
            rows = _rows(session, candidates, with_bookkeeping=with_bookkeeping, every=every)
            view.graph(rows, None if count is None and wanted.is_history_alone else _first(count, wanted))
            return
        chosen = islice(wanted.select(candidates), count)
        view.entries(reversed(list(chosen)) if reverse or follow else chosen)
    if follow:
        from pisess_cli.core.session.follow import follow_entries

        app.terminal.flush()
        app.terminal.flush()
        for entry in follow_entries(session):
            if wanted(entry):
                view.entries([entry])
                app.terminal.flush()


def _candidates(app: App, revision: str, *, every: bool, graph: bool) -> "tuple[Session, Iterable[Entry]]":
    # The session that the revision is in, and the entries that it names, newest first: with all branches in a graph
    # the path that stands on its left, else all entries.
    resolver = app.resolver()
    found = resolver.range(revision)
    if found is not None and every:
        raise UsageFault(
            f"--all shows all branches, and no range of them ({revision})", hint="leave out one of the two"
        )
    if found is not None:
        return found.session, range_entries(found)
    session, entry = resolver.point(revision)
    return session, session.newest_first() if every and not graph else session.walk(entry)


def _rows(
    session: "Session", candidates: "Iterable[Entry]", *, with_bookkeeping: bool, every: bool
) -> "Iterator[GraphRow]":
    if every:
        return History(session.tree, full=with_bookkeeping).graph(next(iter(candidates), None))
    return (GraphRow(0, entry) for entry in candidates if with_bookkeeping or entry.is_history)


def _first(count: int | None, wanted: EntryFilter) -> "Callable[[Entry], bool]":
    left = iter(range(count)) if count is not None else repeat(0)
    return lambda entry: wanted(entry) and next(left, None) is not None
