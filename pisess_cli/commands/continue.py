"""`pisess continue`: go on in Pi."""

import os
import shutil
from pathlib import Path

import click

from pisess_cli import options
from pisess_cli.app import App
from pisess_cli.core.errors import PisessError


class PassingOn(options.PisessCommand):
    """A command that leaves what stands behind `--` to another program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses what stands before `--`."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[__name__] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])


@options.pisess_command(cls=PassingOn)
@click.argument("selector", required=False, metavar="[SESSION] [-- ARGS...]")
@options.option("--print", "only_print", is_flag=True, help="Print the session's path, and start nothing.")
def command(app: App, selector: str | None, only_print: bool) -> None:
    """Start Pi on a session, in the session's own directory.

    Without a SESSION it is the most recent one of this directory. What stands behind `--` goes to Pi.

    \b
    Examples:
      pisess continue
      pisess continue @2
      pisess continue -- -p 'And now the tests.'
    """
    session = app.open(selector)
    if only_print:
        app.terminal.path(str(session.path))
        return
    directory = session.header.cwd or str(app.cwd)
    if not Path(directory).is_dir():
        raise PisessError(
            f"the session's directory is gone ({directory})",
            hint="pisess mv --to DIR tells where the project is now, pisess fork --to DIR makes a copy for another one",
        )
    pi = shutil.which("pi")
    if pi is None:
        raise PisessError(
            "pi is not on the PATH", hint="npm install -g @earendil-works/pi-coding-agent; --print gives the path alone"
        )
    path = os.path.realpath(session.path)
    app.finish()
    os.chdir(directory)
    os.execv(pi, [pi, "--session", path, *click.get_current_context().meta[__name__]])  # noqa: S606 - the program that the user asked for, no shell
