"""The completion script for zsh."""

import re
from collections.abc import Iterator

from pisess_cli.docs.definitions import Argument, Command, Option, commands, global_options
from pisess_cli.docs.template import fill, is_version
from pisess_cli.docs.values import Value

FILE_NAME = "_pisess"

_ACTIONS = {
    "any": " ",
    "dir": "_files -/",
    "file": "_files",
    "program": "_command_names -e",
    "session": " _pisess_sessions",
}


def script() -> str:
    """The script."""
    every = commands()
    shared = [option for option in global_options() if not is_version(option)]
    version = [option for option in global_options() if is_version(option)]
    return fill(
        FILE_NAME,
        COMMANDS=[f"    {_quote(f'{command.name}:{command.summary}')}" for command in every],
        GLOBAL_OPTIONS=[f"    {spec}" for option in shared for spec in _option_specs(option)],
        MAIN_OPTIONS=[rf"    {spec} \{''}" for option in version for spec in _option_specs(option)],
        CASES=[line for command in every for line in _case(command)],
    )


def _case(command: Command) -> Iterator[str]:
    specs = [spec for option in command.options for spec in _option_specs(option)]
    specs += [_argument_spec(number, argument) for number, argument in enumerate(command.arguments, 1)]
    yield f"    ({command.name})"
    yield "      _arguments -s -S : $everywhere \\"
    yield from (f"        {spec} \\" for spec in specs)
    yield "        && ret=0"
    yield "      ;;"


def _option_specs(option: Option) -> Iterator[str]:
    # A spec for each name; one name keeps the others from being offered, unless it may be given again.
    others = "*" if option.repeatable else f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    explanation = re.sub(r"([\[\]\\])", r"\\\1", option.help)
    for name in option.names:
        joined = ("=" if name.startswith("--") else "+") if option.value else ""
        value = f":{option.metavar}:{_action(option.value)}" if option.value else ""
        yield _quote(f"{others}{name}{joined}[{explanation}]{value}")


def _argument_spec(number: int, argument: Argument) -> str:
    position = "*" if argument.repeatable else f"{number}:" if argument.metavar.startswith("[") else str(number)
    return _quote(f"{position}:{argument.metavar.strip('[]').replace(':', ' ')}:{_action(argument.value)}")


def _action(value: Value) -> str:
    if value.kind == "words":
        return f"({' '.join(value.words).replace(':', chr(92) + ':')})"
    return _ACTIONS.get(value.kind, f" _pisess_values {value.kind} {value.kind}")


def _quote(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"
