"""`pisess export`: a branch or a whole session as a page, as a session file, or as tables."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import NotFound, UsageFault
from pisess_cli.core.reports.excerpt import branch_excerpt, file_chunks, path_lines, whole_excerpt
from pisess_cli.core.storage.new_files import new_file, new_folder
from pisess_cli.core.storage.paths import absolute_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pisess_cli.core.reports.excerpt import Excerpt
    from pisess_cli.core.reports.tables import TableRow
    from pisess_cli.view.terminal import Terminal

_SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".jsonl": "jsonl",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".parquet": "parquet",
}
_FORMATS = ("markdown", "html", "jsonl", "sqlite", "parquet")
_TABLES = ("sqlite", "parquet")


@options.pisess_command()
@options.revision_argument(default=None)
@options.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    metavar="FORMAT",
    help="markdown, html, jsonl, sqlite or parquet; without it, what FILE's name ends in.",
)
@options.option("-o", "--output", metavar="FILE", help="Write to this file instead of stdout.")
@options.option("--all", "every", is_flag=True, help="All branches, the one that ends at REV first.")
@options.option("--all-sessions", is_flag=True, help="All sessions, as tables: for sqlite and parquet.")
@options.option("--full", is_flag=True, help="Show bookkeeping entries too (labels, settings, system messages).")
@options.option("-f", "--force", is_flag=True, help="Overwrite FILE.")
def command(
    app: App,
    revision: str | None,
    format_: str | None,
    output: str | None,
    every: bool,
    all_sessions: bool,
    full: bool,
    force: bool,
) -> None:
    """Write a branch, or all branches, in a form for others to read or to work with.

    markdown and html are for people: html is one page that needs nothing else and asks nothing of the network. jsonl is
    a session that Pi opens. sqlite and parquet hold the tables sessions, entries and usage for queries; parquet is a
    folder with a file for each.

    Without REV, markdown and jsonl have the current branch, the others the whole session; --all is the whole session
    in every form.

    \b
    Examples:
      pisess export -o session.html
      pisess export good --format markdown | less
      pisess export HEAD~4 -o shorter.jsonl
      pisess export --all-sessions -o team.sqlite
    """
    chosen = format_ or _guess(output)
    target = None if output in (None, "-") else absolute_path(output or "", app.cwd)
    _check(chosen, target, revision, every=every, all_sessions=all_sessions)
    if all_sessions and target is not None:
        _write_tables(app, chosen, target, _rows_of_all(app), overwrite=force)
        return
    session, leaf = app.resolver().point(revision or "LEAF")
    if leaf is None:
        raise NotFound(f"no entry stands there, so there is nothing to export ({revision})")
    is_whole = every or (revision is None and chosen not in ("markdown", "jsonl"))
    if chosen in _TABLES and target is not None:
        from pisess_cli.core.reports.tables import Rows

        rows = Rows().of(session, None if is_whole else session.path_to(leaf))
        _write_tables(app, chosen, target, rows, overwrite=force)
    elif chosen == "jsonl":
        lines = file_chunks(session) if is_whole else path_lines(session, leaf)
        _write(app, target, lines, source=session.path, overwrite=force)
    else:
        excerpt = (whole_excerpt if is_whole else branch_excerpt)(session, leaf, full=full)
        _write(app, target, (text.encode() for text in _page(chosen, excerpt)), overwrite=force)


def _guess(output: str | None) -> str:
    suffix = Path(output or "").suffix.lower()
    if suffix not in _SUFFIXES:
        reason = f"no format goes with that name ({output})" if output else "no format is given"
        raise UsageFault(reason, hint=f"--format takes {', '.join(_FORMATS)}")
    return _SUFFIXES[suffix]


def _check(chosen: str, target: Path | None, revision: str | None, *, every: bool, all_sessions: bool) -> None:
    if all_sessions and chosen not in _TABLES:
        raise UsageFault(f"--all-sessions is for {' and '.join(_TABLES)} ({chosen})")
    if all_sessions and revision is not None:
        raise UsageFault("REV and --all-sessions do not go together")
    if chosen == "jsonl" and every and revision is not None:
        raise UsageFault("REV and --all do not go together for jsonl")
    if chosen in _TABLES and target is None:
        raise UsageFault(f"{chosen} cannot go to stdout", hint="-o names the file")


def _page(chosen: str, excerpt: "Excerpt") -> "Iterator[str]":
    from pisess_cli.view.dates import date_format

    if chosen == "html":
        from pisess_cli.view.export_html import html_page as page
    else:
        from pisess_cli.view.export_markdown import markdown_page as page
    # A page is read at other times than it was made.
    return page(excerpt, date_format("iso"))


def _write(
    app: App, target: Path | None, chunks: "Iterable[bytes]", *, source: Path | None = None, overwrite: bool
) -> None:
    if target is None:
        _print(app.terminal, chunks)
        return
    with new_file(target, overwrite=overwrite, source=source) as temporary, temporary.open("wb") as file:
        file.writelines(chunks)
    app.terminal.path(str(target))


def _print(terminal: "Terminal", chunks: "Iterable[bytes]") -> None:
    if not terminal.is_tty:
        for chunk in chunks:
            terminal.write_bytes(chunk)
        return
    from pisess_cli.view.sanitize import safe

    # Lines of session files are data, and go out as they are only where no terminal obeys them.
    with terminal.paged():
        terminal.write(safe(b"".join(chunks).decode("utf-8", "replace"), newlines=True))


def _rows_of_all(app: App) -> "Iterator[TableRow]":
    from pisess_cli.core.reports.table_files import all_rows
    from pisess_cli.core.store.directory import session_files

    paths = session_files(app.session_dir.path)
    with app.terminal.progress(len(paths), "Reading sessions") as progress:
        yield from all_rows(paths, progress.advance)


def _write_tables(app: App, chosen: str, target: Path, rows: "Iterable[TableRow]", *, overwrite: bool) -> None:
    from pisess_cli.core.reports.table_files import write_parquet, write_sqlite

    if chosen == "sqlite":
        with new_file(target, overwrite=overwrite) as temporary:
            write_sqlite(temporary, rows)
    else:
        with new_folder(target, overwrite=overwrite) as temporary:
            write_parquet(temporary, rows)
    app.terminal.path(str(target))
