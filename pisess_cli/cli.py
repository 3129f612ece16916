"""The group: command names and one-line helps, imported when used; the one place where errors become words."""

import os
from importlib import import_module
from typing import TYPE_CHECKING

import click

from pisess_cli import __version__
from pisess_cli.options import HELP_OPTION, GlobalOptions, Option, global_options, telling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pisess_cli.app import App

SECTIONS: dict[str, dict[str, str]] = {
    "Look into sessions": {
        "log": "Show the entries of the current branch",
        "show": "Show one entry in full",
        "show-context": "Show what the model would be sent",
        "find": "List sessions, or search all of them",
        "stats": "Show tokens and cost by model, tool, day and the like",
        "diff": "Compare two points of a session, or of two sessions",
        "reflog": "Show where the leaf has been",
        "export": "Write a branch as a page, a session file or tables",
    },
    "Move and branch": {
        "checkout": "Move the leaf to an entry",
        "branch": "List the branches, or start one",
        "label": "Bookmark an entry, or list the labels",
        "fork": "Copy a session, or the path to an entry, into a new file",
        "undo": "Take the last write back",
    },
    "Look after the files": {
        "new": "Begin a session with a message",
        "name": "Show or set the session's name",
        "mv": "Tell a session where its project is now",
        "rm": "Move sessions to the trash",
        "prune": "Copy a session without some branches, images or long outputs",
        "redact": "Copy a session without some of what was said in it",
        "fsck": "Check sessions for faults, or write a repaired copy",
        "migrate": "Write sessions of old versions in the current one",
    },
    "Change what the model sees": {
        "compact": "Replace the older part of the context by a summary",
        "edit": "Leave an entry out of the context, or reword it",
    },
    "Go on in Pi": {
        "continue": "Start Pi on a session",
    },
    "Set up": {
        "config": "Show and change settings",
        "completions": "Print the completion script for a shell",
        "help": "Show the manual",
        "demo": "Make sample sessions to try everything on",
    },
    "Plumbing": {
        "append": "Append an entry of any type",
        "rev-parse": "Print the ids of the entries that revisions name",
    },
}
"""The commands by the section of the help that lists them, each with its one-line help."""

COMMANDS: dict[str, str] = {name: text for section in SECTIONS.values() for name, text in section.items()}


class _ReaderGone(Exception):
    # Stands for a BrokenPipeError, which click would turn into exit code 1.
    pass


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is used."""

    def invoke(self, ctx: click.Context) -> object:
        """What the command returns."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGone from error

    def get_help_option(self, ctx: click.Context) -> Option:  # noqa: ARG002
        """The option that shows the help."""
        return HELP_OPTION

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"pisess_cli.commands.{cmd_name.replace('-', '_')}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(module)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words begin with: one of ours, or an alias of the configuration."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            app: App = ctx.obj
            args = app.expand_alias(args)
            if args[0] not in COMMANDS:
                raise click.UsageError(f"no such command ({args[0]})", ctx=None)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands by section, from the one-line helps alone."""
        longest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(longest), text) for name, text in commands.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"max_content_width": 100},
    options_metavar="[OPTIONS]",
    subcommand_metavar="COMMAND [ARGS]...",
    params=[
        telling("--version", tells=lambda _: f"pisess {__version__}", help="Print the version."),
        *global_options(),
    ],
)
def main() -> None:
    """Git for the session files of the Pi coding agent.

    Look into sessions, search, branch, fork, label and compact them; Pi goes on from what is left.
    """


def run(words: "Sequence[str]") -> int:
    """Runs the command line; returns the exit code.

    0 done, 1 failed or nothing found, 2 wrong usage, 130 interrupted.
    """
    from pisess_cli.app import App

    app = App(GlobalOptions())
    if os.environ.get("PISESS_DEBUG"):
        return _run(app, words)
    try:
        return _run(app, words)
    except KeyboardInterrupt:
        return 130
    except (BrokenPipeError, _ReaderGone):
        app.terminal.abandon()
        return 0
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        return _usage(app, error)
    except Exception as error:  # noqa: BLE001 - the one place where everything that goes wrong becomes a line
        return _failure(app, error)


def _run(app: "App", words: "Sequence[str]") -> int:
    code = main.main(args=list(words), prog_name="pisess", obj=app, standalone_mode=False)
    app.finish()
    return code if isinstance(code, int) else 0


def _usage(app: "App", error: click.ClickException) -> int:
    message = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        app.terminal.note(message)
        return error.exit_code
    app.terminal.error(message[:1].lower() + message[1:].removesuffix("."))
    if isinstance(error, click.UsageError):
        hint = _did_you_mean(message) or (f"see {error.ctx.command_path} --help" if error.ctx else "see pisess --help")
        app.terminal.hint(hint)
    return error.exit_code


def _did_you_mean(message: str) -> str | None:
    if not message.startswith("no such command"):
        return None
    from difflib import get_close_matches

    close = get_close_matches(message.partition("(")[2].rstrip(")"), COMMANDS, n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else None


def _failure(app: "App", error: Exception) -> int:
    from pisess_cli.core.errors import PisessError

    if isinstance(error, PisessError):
        app.terminal.error(error.message)
        if error.hint:
            app.terminal.hint(error.hint)
        return error.exit_code
    if isinstance(error, OSError):
        app.terminal.abandon()
        place = f" ({error.filename})" if error.filename else ""
        app.terminal.error(f"{(error.strerror or str(error)).lower()}{place}")
        return 1
    if isinstance(error, MemoryError):
        app.terminal.error("not enough memory for this file")
        return 1
    app.terminal.error(f"internal fault: {type(error).__name__}: {error}")
    app.terminal.hint("PISESS_DEBUG=1 shows where; please report it")
    return 1
