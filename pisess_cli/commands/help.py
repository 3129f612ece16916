"""`pisess help`: the manual."""

import os
import shutil
import subprocess

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.docs import TOPICS


@options.pisess_command()
@click.argument("topic", required=False, metavar="[COMMAND | TOPIC]")
def command(app: App, topic: str | None) -> None:
    """Show the manual page of a command, that of pisess itself, or one of the topics `revisions` and `format`.

    On a terminal, man shows the page, if it is installed; elsewhere the text of --help is printed.

    \b
    Examples:
      pisess help checkout
      pisess help revisions
    """
    name = _meant(app, topic) if topic is not None else None
    if not (app.terminal.is_tty and _shown_by_man(name, use_pager=not app.options.no_pager)):
        with app.terminal.paged():
            app.terminal.write(_text(name))


def _meant(app: App, topic: str) -> str:
    # The command behind an alias is what its user wants to read about.
    from pisess_cli.cli import COMMANDS

    name = topic if topic in COMMANDS or topic in TOPICS else app.expand_alias([topic])[0]
    if name not in COMMANDS and name not in TOPICS:
        raise click.UsageError(f"no such command ({topic})", ctx=None)
    return name


def _shown_by_man(name: str | None, *, use_pager: bool) -> bool:
    from pisess_cli.core.errors import NotFound
    from pisess_cli.docs.installed import generated_file

    man = shutil.which("man")
    page = "pisess.1" if name is None else f"pisess-{name}.{TOPICS.get(name, 1)}"
    try:
        path = generated_file("man", page)
    except NotFound:
        return False
    environment = os.environ | ({} if use_pager else {"MANPAGER": "cat"})
    return man is not None and not subprocess.run([man, "-l", str(path)], env=environment, check=False).returncode  # noqa: S603


def _text(name: str | None) -> str:
    from pisess_cli.cli import main
    from pisess_cli.docs.installed import topic_text

    if name in TOPICS:
        return topic_text(name)
    context = click.Context(main, info_name="pisess", **main.context_settings)
    found = main.get_command(context, name) if name is not None else None
    if found is not None:
        context = click.Context(found, parent=context, info_name=name, **found.context_settings)
    return f"{context.command.get_help(context)}\n"
