"""`pisess rev-parse`: from revisions to ids, for scripts."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import PisessError, UsageFault

if TYPE_CHECKING:
    from pisess_cli.core.entries import Entry
    from pisess_cli.core.revisions import Resolver
    from pisess_cli.core.session import Session

    Spelling = Callable[[Session, Entry | None], str]


@options.pisess_command()
@click.argument("revisions", nargs=-1, metavar="[REV | A..B]...")
@click.option("--short", is_flag=True, help="Print as much of each id as is needed to name it, 8 characters at least.")
@click.option("--symbolic", is_flag=True, help="Print names: a label, HEAD~N, or else the id.")
@click.option("--all", "every", is_flag=True, help="Print the tips of all branches and all labelled entries.")
@click.option("--verify", is_flag=True, help="Take one REV; if it names nothing, exit with 1 and say nothing.")
def command(app: App, revisions: tuple[str, ...], short: bool, symbolic: bool, every: bool, verify: bool) -> int:
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
        names = [name for text in revisions for name in _names(resolver, text, spell, one=verify)]
    except PisessError:
        if verify:
            return 1
        raise
    if every:
        from pisess_cli.core.revision_names import named_entries

        names += [spell(resolver.session, entry) for entry in named_entries(resolver.session)]
    from pisess_cli.view.sanitize import safe

    for name in names:
        app.terminal.line(safe(name) if app.terminal.is_tty else name)
    return 0


def _spelling(app: App, *, short: bool, symbolic: bool) -> "Spelling":
    from functools import cache

    from pisess_cli.core.revision_names import Namer, whole_id
    from pisess_cli.view.placeholders import SHORT_ID

    @cache
    def namer(session: "Session") -> Namer:
        return Namer(app.resolver(session))

    if symbolic:
        return lambda session, entry: namer(session).symbolic(entry)
    if short:
        return lambda session, entry: namer(session).short_id(entry, SHORT_ID)
    return lambda _, entry: whole_id(entry)


def _names(resolver: "Resolver", text: str, spell: "Spelling", *, one: bool) -> Iterator[str]:
    from pisess_cli.core.revisions import fork_point

    found = None if one else resolver.range(text)
    if found is None:
        yield spell(*resolver.point(text))
        return
    yield spell(found.session, found.end)
    yield f"{'' if found.symmetric else '^'}{spell(found.session, found.start)}"
    if found.symmetric:
        shared = fork_point(found)
        if shared is not None:
            yield f"^{spell(found.session, shared)}"
