"""`pisess migrate`: sessions of old versions, written in the current one."""

from pathlib import Path

import click

from pisess_cli import options
from pisess_cli.app import App


@options.pisess_command()
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@options.option("--backup/--no-backup", default=True, help="Keep the old file beside it, as FILE.v1.bak (the default).")
@options.dry_run_option
def command(app: App, sessions: tuple[str, ...], backup: bool, dry_run: bool) -> None:
    """Write sessions of version 1 or 2 as version 3, in place, and print the files that were written.

    At every moment the file is whole: the old one, or the new one. Lines that are no JSON stay as they are, and so does
    every byte that the new version does not ask to be changed. A session of the current version is not touched.

    \b
    Examples:
      pisess migrate old.jsonl
      pisess migrate --dry-run -s @1
      pisess migrate --no-backup *.jsonl
    """
    for path in [app.find_session(name) for name in sessions or (None,)]:
        _migrate(app, path, backup=backup, dry_run=dry_run)


def _migrate(app: App, path: Path, *, backup: bool, dry_run: bool) -> None:
    from pisess_cli.core.format.entries import CURRENT_VERSION
    from pisess_cli.core.format.javascript import js_number
    from pisess_cli.core.session.appender import migrate_in_place
    from pisess_cli.core.storage.session_file import SessionFile

    header = SessionFile(path).header
    if not header.is_old:
        app.terminal.note(f"the session is of the current version already ({path})")
        return
    version = js_number(header.version)
    old = path.with_name(f"{path.name}.v{version}.bak") if backup else None
    if dry_run:
        kept = f", and keep the old file as {old.name}" if old else ""
        app.terminal.note(f"would write version {version} as version {CURRENT_VERSION}{kept} ({path})")
        return
    if migrate_in_place(path, backup=old):
        if old:
            app.terminal.note(f"the old file is {old}")
        app.terminal.path(str(path))
