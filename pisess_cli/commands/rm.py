"""`pisess rm`: sessions to the trash."""

import sys
from typing import TYPE_CHECKING

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import Refused

if TYPE_CHECKING:
    from pathlib import Path


@options.pisess_command()
@click.argument("selectors", nargs=-1, metavar="[SESSION]...")
@options.option("-f", "--force", is_flag=True, help="Do not ask.")
def command(app: App, selectors: tuple[str, ...], force: bool) -> None:
    """Move sessions to the trash, from where they can be had back; on a terminal it asks first.

    Without a SESSION it is the one that other commands act on: the most recent one of this directory.

    \b
    Examples:
      pisess rm @3
      pisess rm -f 'throw-away' 01997f3e
    """
    from pisess_cli.core.storage.trash import move_to_trash
    from pisess_cli.core.store.running_pi import refuse_to_take_from_pi

    paths = list(dict.fromkeys(app.open(selector).path for selector in selectors or (None,)))
    for path in paths:
        refuse_to_take_from_pi(path, app.environment)
    if not force and not sys.stdin.isatty():
        raise Refused("rm asks first, and there is no terminal to ask on", hint="-f does not ask")
    for path in paths:
        if not force and not click.confirm(_question(app, path), err=True):
            app.terminal.note(f"left where it is ({path})")
            continue
        move_to_trash(path)
        app.terminal.note(f"moved to the trash ({path})")


def _question(app: App, path: "Path") -> str:
    from pisess_cli.core.store.listing import list_sessions
    from pisess_cli.view.sanitize import safe

    lines = [str(path), "Move it to the trash?"]
    for info in list_sessions([path]):
        changed = app.date_format(None, "relative").of(info.modified)
        messages = "1 message" if info.message_count == 1 else f"{info.message_count} messages"
        lines.insert(0, f"in {info.cwd or 'no directory'}, {messages}, last change {changed}")
        lines.insert(0, info.name or info.first_message)
    return "\n  ".join(map(safe, lines[:-1])) + f"\n{lines[-1]}"
