"""`pisess completions`: the script that makes a shell complete what is typed for pisess."""

import click

from pisess_cli import options
from pisess_cli.app import App

_FILES = {"bash": "pisess.bash", "zsh": "_pisess", "fish": "pisess.fish"}


@options.pisess_command()
@click.argument("shell", type=click.Choice(list(_FILES)), metavar="SHELL")
def command(app: App, shell: str) -> None:
    """Print the completion script for bash, zsh or fish.

    It completes commands, options, labels, entries by their ids and first words, and sessions by their names. Packages
    for a whole system put it where the shell looks; else one of these makes it known, the first two at every start of
    the shell, from `~/.bashrc` or, behind `compinit`, from `~/.zshrc`.

    \b
    Examples:
      eval "$(pisess completions bash)"
      eval "$(pisess completions zsh)"
      pisess completions fish > ~/.config/fish/completions/pisess.fish
    """
    from pisess_cli.docs.installed import generated_file

    app.terminal.write(generated_file("completions", _FILES[shell]).read_text(encoding="utf-8"))
