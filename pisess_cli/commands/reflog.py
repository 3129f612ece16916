"""`pisess reflog`: where the leaf has been."""

from itertools import islice

import click

from pisess_cli import options
from pisess_cli.app import App


@options.pisess_command()
@options.option("-n", "--max-count", "count", type=click.IntRange(min=0), metavar="N", help="Show N moves at most.")
@options.date_option
@options.json_option
def command(app: App, count: int | None, date_style: str | None, as_json: bool) -> None:
    """Show where the leaf has been: every move to another branch, newest first.

    Each line tells the revision that names where the leaf was (@{-1} before the last move, @{-2} before the one before
    that, and so on), what moved it, from where, to where and when, and the words that it left. A move is a checkout, an
    undo, a branch summary, or a conversation that simply went on from another entry, as in Pi.

    \b
    Examples:
      pisess reflog
      pisess checkout '@{-2}'
      pisess reflog --json | jq -r 'select(.kind == "branch") | .from'
    """
    from pisess_cli.core.session.reflog import moves
    from pisess_cli.view.reflog import write_moves

    with app.terminal.paged():
        write_moves(
            app.terminal, islice(moves(app.open()), count), app.date_format(date_style, "relative"), as_json=as_json
        )
