"""Every option and argument that several commands share, defined once."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Decorated], Decorated]


class GlobalOptions:
    """What the global options were set to; they are taken before and behind the command's name alike."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.session_dir: str | None = None
        self.directory: str | None = None
        self.color: str | None = None
        self.no_pager = False
        self.quiet = False


class Option(click.Option):
    """An option whose help is one line, with nothing to clean of an indented text."""

    def __init__(self, *args: Any, help: str | None = None, **attributes: Any) -> None:  # noqa: A002 - click's name
        super().__init__(*args, **attributes)
        self.help = help


option = partial(click.option, cls=Option)


def telling(*names: str, tells: Callable[[click.Context], str], help: str) -> Option:  # noqa: A002 - click's name
    """An option that only tells something, whatever else is asked for."""

    def tell(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            click.echo(tells(ctx), color=ctx.color)
            ctx.exit()

    return Option(list(names), is_flag=True, is_eager=True, expose_value=False, callback=tell, help=help)


HELP_OPTION = telling("-h", "--help", "show_help", tells=click.Context.get_help, help="Show this message and exit.")


def _remember(ctx: click.Context, param: click.Parameter, value: object) -> None:
    # The last one given counts; one that is not given leaves what stands.
    if value not in (None, False) and param.name:
        setattr(ctx.obj.options, param.name, value)


def _global(*names: str, **attributes: Any) -> Option:
    return Option(list(names), expose_value=False, callback=_remember, **attributes)


def global_options() -> list[Option]:
    """The global options, new each time, as click wants them for every command."""
    return [
        _global(
            "-s",
            "--session",
            metavar="SESSION",
            help="The session: a path, an id or the start of one, a name, or @1, @2 (most recent first).",
        ),
        _global("--session-dir", metavar="DIR", help="Look for sessions, and make new ones, in this directory."),
        _global("-C", "directory", metavar="DIR", help="Act as if started in this directory."),
        _global(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            metavar="WHEN",
            help="Use colours: auto, always or never.",
        ),
        _global("--no-pager", is_flag=True, help="Do not start a pager."),
        _global("-q", "--quiet", is_flag=True, help="Say nothing but errors and results."),
    ]


class PisessCommand(click.Command):
    """A command that takes the global options too, and lists them apart in its help."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.own_params = list(self.params)
        self.params = [*self.params, *global_options()]

    def get_help_option(self, ctx: click.Context) -> Option:  # noqa: ARG002
        """The option that shows the help."""
        return HELP_OPTION

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, then the global ones."""
        shared = [*self.params[len(self.own_params) :], HELP_OPTION]
        for title, options in (("Options", self.own_params), ("Global options", shared)):
            shown = (one for one in options if isinstance(one, click.Option))
            rows = [row for one in shown if (row := one.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def pisess_command(cls: type[PisessCommand] = PisessCommand) -> Callable[[Callable[..., Any]], PisessCommand]:
    """Makes a command of a function; the app comes first, as `click.pass_obj` gives it."""
    settings = {"max_content_width": 100}

    def decorate(function: Callable[..., Any]) -> PisessCommand:
        # Help texts are written one paragraph a thought, examples in blocks that start with a line of \b.
        return click.command(cls=cls, context_settings=settings)(click.pass_obj(function))

    return decorate


def revision_argument(
    name: str = "revision", *, metavar: str | None = None, required: bool = False, default: str | None = "HEAD"
) -> Decorator[Any]:
    """The revision that a command acts on: HEAD, or another default, where it need not be given."""
    if required:
        return click.argument(name, metavar=metavar or "REV")
    return click.argument(name, metavar=metavar or "[REV]", required=False, default=default)


def moment(*, end_of_day: bool) -> Callable[[click.Context, click.Parameter, str | None], float | None]:
    """The callback of an option that takes a DATE: what it means, in milliseconds since 1970."""

    def parse(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
        from pisess_cli.view.dates import parse_when

        return None if text is None else parse_when(text, end_of_day=end_of_day)

    return parse


json_option = option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
since_option = option(
    "--since",
    metavar="DATE",
    callback=moment(end_of_day=False),
    help="Not older than this: 2026-05-01, 'yesterday', '3 days ago'.",
)
until_option = option(
    "--until", metavar="DATE", callback=moment(end_of_day=True), help="Not newer than this; a day is meant whole."
)
type_option = option(
    "--type", "types", multiple=True, metavar="TYPE", help="Only entries of this type; can be given several times."
)
role_option = option(
    "--role", "roles", multiple=True, metavar="ROLE", help="Only messages of this role; can be given several times."
)
format_option = option(
    "--format", "template", metavar="FORMAT", help="Print each entry by Git-style placeholders: '%h %ar %s'."
)
date_option = option(
    "--date", "date_style", metavar="STYLE", help="How dates are shown: relative, iso, unix, or format:STRFTIME."
)
null_option = option("-z", "null", is_flag=True, help="End records with NUL instead of a newline.")


force_option = option("-f", "--force", is_flag=True, help="Do it where it would be refused.")


def summary_options(command: Decorated) -> Decorated:
    """The sources of a summary: exactly one of them, or the editor."""
    options = (
        option("-m", "--message", metavar="TEXT", help="The summary."),
        option("-F", "--file", "message_file", metavar="FILE", help="Read the summary from a file, - for stdin."),
        option(
            "--summarizer",
            metavar="COMMAND",
            help="A shell command: a prompt on its stdin, the summary on its stdout.",
        ),
        option("--edit", is_flag=True, help="Write the summary in the editor."),
        option("--instructions", metavar="TEXT", help="What the summarizer should pay attention to."),
    )
    for decorate in reversed(options):
        command = decorate(command)
    return command
