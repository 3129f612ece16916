"""`pisess rev-parse`: from revisions to ids, for scripts."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import PisessError, UsageFault

if TYPE_CHECKING:
    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.format.javascript import JsonObject
    from pisess_cli.core.session.revisions import Resolver
    from pisess_cli.core.session.session import Session

    Spelling = Callable[[Session, Entry | None], str]


class _Named(NamedTuple):
    # A place that a revision names, or that it leaves out with all above it; no revision: one of --all.
    revision: str | None
    session: "Session"
    entry: "Entry | None"
    excluded: bool = False


@options.pisess_command()
@click.argument("revisions", nargs=-1, metavar="[REV | A..B]...")
@options.option(
    "--short", is_flag=True, help="Print as much of each id as is needed to name it, 8 characters at least."
)
@options.option("--symbolic", is_flag=True, help="Print names: a label, HEAD~N, or else the id.")
@options.option("--all", "every", is_flag=True, help="Print the tips of all branches and all labelled entries.")
@options.option("--verify", is_flag=True, help="Take one REV; if it names nothing, exit with 1 and say nothing.")
@options.json_option
def command(
    app: App, revisions: tuple[str, ...], short: bool, symbolic: bool, every: bool, verify: bool, as_json: bool
) -> int:
    """Print the id of the entry that each REV names, one a line; before the first entry that is ROOT.

    As in Git, A..B prints the id of B, then that of A with a ^ before it; A...B prints B, A, and with a ^ the newest
    entry on the paths of both. The entries in between are listed by log: `pisess log --format %H A..B`.

    \b
    Examples:
      pisess rev-parse HEAD~2
      pisess rev-parse --verify good || echo 'no such entry'
      pisess rev-parse --symbolic --all
    """
    if short and symbolic:
        raise UsageFault("--short and --symbolic do not go together")
    if verify and (every or len(revisions) != 1):
        raise UsageFault("--verify takes one revision")
    if not revisions and not every:
        raise UsageFault("say which entry", hint="name a revision or a range, or give --all")
    resolver = app.resolver()
    spell = _spelling(app, short=short, symbolic=symbolic)
    try:
        found = [named for text in revisions for named in _named(resolver, text, one=verify)]
        if every:
            from pisess_cli.core.session.revision_names import named_entries

            found += [_Named(None, resolver.session, entry) for entry in named_entries(resolver.session)]
        names = [spell(named.session, named.entry) for named in found]
    except PisessError:
        if verify:
            return 1
        raise
    _write(app, found, names, as_json=as_json)
    return 0


def _spelling(app: App, *, short: bool, symbolic: bool) -> "Spelling":
    from functools import cache

    from pisess_cli.core.session.revision_names import Namer, whole_id
    from pisess_cli.view.placeholders import SHORT_ID

    @cache
    def namer(session: "Session") -> Namer:
        return Namer(app.resolver(session))

    if symbolic:
        return lambda session, entry: namer(session).symbolic(entry)
    if short:
        return lambda session, entry: namer(session).short_id(entry, SHORT_ID)
    return lambda _, entry: whole_id(entry)


def _named(resolver: "Resolver", text: str, *, one: bool) -> Iterator[_Named]:
    from pisess_cli.core.session.revisions import fork_point

    found = None if one else resolver.range(text)
    if found is None:
        yield _Named(text, *resolver.point(text))
        return
    yield _Named(text, found.session, found.end)
    yield _Named(text, found.session, found.start, excluded=not found.symmetric)
    if found.symmetric:
        shared = fork_point(found)
        if shared is not None:
            yield _Named(text, found.session, shared, excluded=True)


def _write(app: App, found: list[_Named], names: list[str], *, as_json: bool) -> None:
    from pisess_cli.view.jsonout import write_json
    from pisess_cli.view.sanitize import safe

    for named, name in zip(found, names, strict=True):
        if as_json:
            write_json(app.terminal, _as_json(named, name))
        else:
            line = f"^{name}" if named.excluded else name
            app.terminal.line(safe(line) if app.terminal.is_tty else line)


def _as_json(named: _Named, name: str) -> "JsonObject":
    from pisess_cli.view.entry import word

    return {
        "revision": named.revision,
        "name": name,
        "id": word(named.entry.id) or None if named.entry else None,
        "path": str(named.session.path),
        "excluded": named.excluded,
    }
