"""The commands as click knows them, in plain records: what the man pages and the completions are made from."""

import inspect
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import click

from pisess_cli.cli import COMMANDS, main
from pisess_cli.docs.values import Value, shown_metavar, value_of
from pisess_cli.options import PisessCommand

_PREFORMATTED = "\b\n"
_EXAMPLES = "Examples:"


class Option(NamedTuple):
    """An option: its names, short ones first; `value` and `metavar` are None for a flag."""

    names: tuple[str, ...]
    help: str
    metavar: str | None
    value: Value | None
    repeatable: bool


class Argument(NamedTuple):
    """An argument: how it is shown, brackets included, and how it is completed."""

    metavar: str
    value: Value
    repeatable: bool


class Command(NamedTuple):
    """A command; `paragraphs` and `examples` are those of its help, examples without their indentation."""

    name: str
    summary: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def commands() -> list[Command]:
    """All commands, in the order of the help."""
    context = click.Context(main, info_name="pisess")
    return [_command(name, summary, main.get_command(context, name)) for name, summary in COMMANDS.items()]


def global_options() -> tuple[Option, ...]:
    """The options of pisess itself, all but `--version` taken by each command too."""
    return tuple(_options([*main.params, main.get_help_option(click.Context(main, **main.context_settings))]))


def _command(name: str, summary: str, command: click.Command | None) -> Command:
    if not isinstance(command, PisessCommand):
        raise TypeError(name)
    blocks = inspect.cleandoc(command.help or "").split("\n\n")
    examples = [block for block in blocks if block.startswith(_PREFORMATTED + _EXAMPLES)]
    return Command(
        name,
        summary,
        tuple(block for block in blocks if block not in examples),
        tuple(line.strip() for block in examples for line in block.splitlines()[2:]),
        tuple(_options(command.own_params)),
        tuple(_arguments(command.own_params)),
    )


def _options(parameters: Iterable[click.Parameter | None]) -> Iterator[Option]:
    for option in parameters:
        if isinstance(option, click.Option) and not option.hidden:
            takes_value = not (option.is_flag or option.count)
            yield Option(
                tuple(sorted((*option.opts, *option.secondary_opts), key=lambda name: name.startswith("--"))),
                option.help or "",
                shown_metavar(option) if takes_value else None,
                value_of(option) if takes_value else None,
                option.multiple or option.count,
            )


def _arguments(parameters: Iterable[click.Parameter]) -> Iterator[Argument]:
    for argument in parameters:
        if isinstance(argument, click.Argument):
            repeatable = argument.nargs != 1
            shown = shown_metavar(argument)
            if argument.metavar is None:
                shown = (shown if argument.required else f"[{shown}]") + ("..." if repeatable else "")
            yield Argument(shown, value_of(argument), repeatable)
