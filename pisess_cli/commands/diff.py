"""`pisess diff`: what sets two points apart."""

from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App

if TYPE_CHECKING:
    from pisess_cli.core.session.revisions import Point, Resolver


@options.pisess_command()
@click.argument("one", metavar="A")
@options.revision_argument("other", metavar="[B]", default=None)
@options.option("--stat", is_flag=True, help="Show the table, also beside -p or --context.")
@options.option("-p", "--patch", is_flag=True, help="Show the messages of each side.")
@options.option("--context", is_flag=True, help="Compare line by line what the model would see at each point.")
@options.date_option
@options.json_option
def command(
    app: App,
    one: str,
    other: str | None,
    stat: bool,
    patch: bool,
    context: bool,
    date_style: str | None,
    as_json: bool,
) -> None:
    """Compare two points of a session, or of two sessions (`S1:REV S2:REV`); without B, compare with HEAD.

    Shows what was done on the way to each of them since the last entry that both paths hold: turns (user messages),
    entries, what they used, tools and how often they were called, files read and changed; and the size of the context
    there, in tokens, as `pisess show-context --tokens` prints it. Nothing for the same point twice.

    \b
    Examples:
      pisess diff before-refactor
      pisess diff -p good HEAD
      pisess diff --context HEAD~4 HEAD
      pisess diff @2:HEAD @1:HEAD --json
    """
    from pisess_cli.core.reports.comparison import compare
    from pisess_cli.view.diff import DiffView, Parts

    resolver = app.resolver()
    names, points = _points(resolver, one, other)
    compared = compare(*points)
    parts = Parts(stat or not (patch or context), patch, context)
    view = DiffView(app.terminal, compared, names)
    with app.terminal.paged():
        if as_json:
            view.write_json(parts)
        else:
            view.write(parts, app.date_format(date_style, "relative"))


def _points(resolver: "Resolver", one: str, other: str | None) -> "tuple[tuple[str, str], tuple[Point, Point]]":
    # What they are called, and where they are. As for a context, HEAD is all that the file's leaf sees.
    names = one, other or "HEAD"
    if other is None and resolver.range(one) is not None:
        start, _, end = one.partition("..")
        names = start or "HEAD", end.removeprefix(".") or "HEAD"
    first, second = (resolver.point("LEAF" if name == "HEAD" else name) for name in names)
    return names, (first, second)
