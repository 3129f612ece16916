"""The completion script for bash."""

from collections.abc import Iterator

from pisess_cli.docs.definitions import Command, Option, commands, global_options
from pisess_cli.docs.template import fill, is_version, names
from pisess_cli.docs.values import Value

FILE_NAME = "pisess.bash"


def script() -> str:
    """The script."""
    every = commands()
    return fill(
        FILE_NAME,
        COMMANDS=[" ".join(command.name for command in every)],
        OPTIONS=_options(every),
        OPTION_KINDS=[line for command in every for line in _option_kinds(command.name, command.options)]
        + list(_option_kinds("*", global_options())),
        ARGUMENT_KINDS=[line for command in every for line in _argument_kinds(command)],
    )


def _options(every: list[Command]) -> Iterator[str]:
    shared = [option for option in global_options() if not is_version(option)]
    yield f"        '') options='{names(global_options())}' ;;"
    for command in every:
        yield f"        {command.name}) options='{names([*command.options, *shared])}' ;;"
    yield f"        *) options='{names(shared)}' ;;"


def _option_kinds(command: str, options: tuple[Option, ...]) -> Iterator[str]:
    for option in options:
        if option.value is not None:
            patterns = " | ".join(f"{command},{name}" for name in option.names)
            yield f"        {patterns}) kind={_kind(option.value)} ;;"


def _argument_kinds(command: Command) -> Iterator[str]:
    for number, argument in enumerate(command.arguments, 1):
        yield f"        {command.name},{'*' if argument.repeatable else number}) kind={_kind(argument.value)} ;;"


def _kind(value: Value) -> str:
    return f"'words {' '.join(value.words)}'" if value.kind == "words" else value.kind
