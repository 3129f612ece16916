"""`pisess find`: the list of sessions, and a search through all of them."""

from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import UsageFault
from pisess_cli.core.search.entry_filter import check_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pisess_cli.core.search.entry_filter import EntryFilter
    from pisess_cli.core.search.hits import Hit, SecretHit
    from pisess_cli.core.search.query import Query
    from pisess_cli.core.store.listing import SessionFilter, SessionInfo

SORT_KEYS = ("modified", "created", "name", "messages", "size", "cwd")


@options.pisess_command()
@click.argument("text", required=False, metavar="[TEXT]")
@options.option("--here", is_flag=True, help="Only sessions of this directory.")
@options.option("--cwd", metavar="DIR", help="Only sessions of that directory.")
@options.option("--name", metavar="TEXT", help="Only sessions whose name has this in it.")
@options.option("--id", "session_id", metavar="ID", help="Only sessions whose id begins so.")
@options.since_option
@options.until_option
@options.role_option
@options.type_option
@options.option("--model", metavar="MODEL", help="Only entries of a model: a part of provider/model.")
@options.option("--tool", metavar="TOOL", help="Only calls of a tool, and their results.")
@options.option("--file", "file", metavar="PATH", help="Only sessions that read or changed this file.")
@options.option("--label", metavar="LABEL", help="Only sessions with an entry of this label.")
@options.option(
    "--branch",
    type=click.Choice(["any", "current", "abandoned"]),
    metavar="WHICH",
    help="Tell which branch a hit is on: any, or only current or abandoned ones.",
)
@options.option("-i", "--ignore-case", is_flag=True, help="Pay no attention to case.")
@options.option("-F", "--fixed", is_flag=True, help="TEXT is taken as it is; this is the default.")
@options.option("-E", "--regex", is_flag=True, help="TEXT is a regular expression, as Python has them.")
@options.option("--secrets", is_flag=True, help="Search for likely secrets; they are not shown whole.")
@options.option("-l", "--files", is_flag=True, help="Print the files of the sessions alone.")
@options.option("-c", "--count", is_flag=True, help="Print how many lines match in each session.")
@options.option("-n", "--max-count", "limit", type=click.IntRange(min=0), metavar="N", help="Print N results at most.")
@options.option(
    "--sort",
    type=click.Choice(SORT_KEYS),
    default="modified",
    metavar="KEY",
    help=f"Order of the list of sessions: {', '.join(SORT_KEYS)}.",
)
@options.date_option
@options.json_option
def command(
    app: App,
    text: str | None,
    here: bool,
    cwd: str | None,
    name: str | None,
    session_id: str | None,
    since: float | None,
    until: float | None,
    roles: tuple[str, ...],
    types: tuple[str, ...],
    model: str | None,
    tool: str | None,
    file: str | None,
    label: str | None,
    branch: str | None,
    ignore_case: bool,
    fixed: bool,
    regex: bool,
    secrets: bool,
    files: bool,
    count: bool,
    limit: int | None,
    sort: str,
    date_style: str | None,
    as_json: bool,
) -> int:
    """List the sessions of all projects; with a TEXT, search what was said and done in them, line by line.

    Without a TEXT, options that are about entries choose the sessions that have such an entry. Exit code 1: nothing
    found.

    \b
    Examples:
      pisess find --here
      pisess find 'connection refused' --role toolResult -l
      pisess find -E 'TODO|FIXME' --since '2 weeks ago'
      pisess find --file src/parser.py
    """
    from itertools import islice

    from pisess_cli.core.search.entry_filter import EntryFilter
    from pisess_cli.core.storage.paths import absolute_path
    from pisess_cli.core.store.listing import SessionFilter
    from pisess_cli.view import find as view

    if fixed and regex:
        raise UsageFault("-F and -E do not go together")
    terminal = app.terminal
    directory = app.cwd if here else absolute_path(cwd, app.cwd) if cwd is not None else None
    of_sessions = SessionFilter(None if directory is None else str(directory), name, session_id)
    date = app.date_format(date_style, "relative")
    entries = (types, check_roles(roles), model, tool, file, label)
    if secrets and (text is not None or any((model, tool, file, label, branch))):
        raise UsageFault("--secrets takes no TEXT, and no --model, --tool, --file, --label or --branch")
    if text is None and not secrets:
        # Times are those of the sessions in a list, those of the entries in a search.
        of_sessions = of_sessions._replace(since=since, until=until)
        query = _query(*entries) if any(entries) else None
        found = islice(_sessions(app, of_sessions, query, sort), limit)
        with terminal.paged():
            return view.sessions(terminal, found, date, files=files, count=count, as_json=as_json)
    tell = not secrets and (branch is not None or terminal.is_tty) and not (files or count)
    hits: Iterable[Hit | SecretHit]
    if secrets:
        pattern = None
        wanted = EntryFilter(types, check_roles(roles), since=since, until=until, full=True)
        hits = _secrets(app, of_sessions, wanted, first_only=files)
    else:
        query = _query(*entries, text, since, until, branch, regex=regex, ignore_case=ignore_case, tell_branch=tell)
        pattern = query.pattern
        hits = _hits(app, of_sessions, query, first_only=files)
    with terminal.paged():
        if files or count:
            return view.counts(terminal, hits, limit, counted=count, as_json=as_json)
        return view.hits(terminal, islice(hits, limit), pattern, date, with_branch=tell, as_json=as_json)


def _query(
    types: tuple[str, ...],
    roles: tuple[str, ...],
    model: str | None,
    tool: str | None,
    file: str | None,
    label: str | None,
    text: str | None = None,
    since: float | None = None,
    until: float | None = None,
    branch: str | None = None,
    *,
    regex: bool = False,
    ignore_case: bool = False,
    tell_branch: bool = False,
) -> "Query":
    from pisess_cli.core.search.entry_filter import EntryFilter
    from pisess_cli.core.search.pattern import Pattern
    from pisess_cli.core.search.query import Query

    return Query(
        pattern=None if text is None else Pattern(text, regex=regex, ignore_case=ignore_case),
        entries=EntryFilter(types, roles, since=since, until=until, full=True),
        tool=tool,
        model=model,
        file=file,
        label=label,
        branch="current" if branch == "current" else "abandoned" if branch == "abandoned" else None,
        tell_branch=tell_branch,
    )


def _paths(app: App, of_sessions: "SessionFilter") -> "list[Path]":
    paths = app.session_files()
    if any(wish is not None for wish in of_sessions):
        paths = [info.path for info in of_sessions.select(app.session_infos(paths))]
    return paths


def _secrets(
    app: App, of_sessions: "SessionFilter", wanted: "EntryFilter", *, first_only: bool
) -> "Iterator[SecretHit]":
    from pisess_cli.core.search.secret_search import search_secrets

    paths = _paths(app, of_sessions)
    with app.terminal.progress(len(paths), "searching") as progress:
        yield from search_secrets(paths, wanted, first_only=first_only, tick=progress.advance)


def _hits(app: App, of_sessions: "SessionFilter", query: "Query", *, first_only: bool) -> "Iterator[Hit]":
    from pisess_cli.core.search.search import search

    paths = _paths(app, of_sessions)
    with app.terminal.progress(len(paths), "searching") as progress:
        yield from search(paths, query, first_only=first_only, tick=progress.advance)


def _sessions(app: App, of_sessions: "SessionFilter", query: "Query | None", sort: str) -> "Iterable[SessionInfo]":
    from pisess_cli.core.store.listing import sorted_sessions

    paths = app.session_files()
    if query is not None:
        from pisess_cli.core.search.search import search

        having = {hit.path for hit in search(paths, query, first_only=True)}
        paths = [path for path in paths if path in having]
    return sorted_sessions(of_sessions.select(app.session_infos(paths)), sort)
