"""`pisess demo`: sample sessions."""

import tempfile
from pathlib import Path

import click

from pisess_cli import options
from pisess_cli.app import App


@options.pisess_command()
@click.argument("folder", required=False, metavar="[DIR]")
def command(app: App, folder: str | None) -> None:
    """Write sample sessions into a new directory (a temporary one if none is named), and print where they are.

    \b
    Examples:
      pisess --session-dir "$(pisess demo)" find
      export PISESS_SESSION_DIR=$(pisess demo ~/pisess-demo)
      pisess -s @1 log --graph --all
    """
    from pisess_cli.core.storage.paths import absolute_path
    from pisess_cli.core.store.demo import write_demo

    chosen = absolute_path(folder, app.cwd) if folder is not None else Path(tempfile.mkdtemp(prefix="pisess-demo-"))
    sessions = write_demo(chosen)
    app.terminal.path(str(sessions))
    app.terminal.note("try: pisess -s @1 --session-dir … log --graph --all")
