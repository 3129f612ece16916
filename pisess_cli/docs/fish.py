"""The completion script for fish."""

from collections.abc import Iterator

from pisess_cli.docs.definitions import Command, Option, commands, global_options
from pisess_cli.docs.template import fill, is_version, names
from pisess_cli.docs.values import Value

FILE_NAME = "pisess.fish"

_SOURCES = {
    "any": "",
    "dir": "-a '(__fish_complete_directories)'",
    "file": "-F",
    "program": "-a '(__fish_complete_command)'",
    "session": "-k -a '(__pisess_sessions)'",
}


def script() -> str:
    """The script."""
    every = commands()
    return fill(
        FILE_NAME,
        COMMANDS=[" ".join(command.name for command in every)],
        VALUED=[
            *_valued("", global_options()),
            *(line for command in every for line in _valued(command.name, command.options)),
        ],
        COMPLETIONS=[*_global_completions(), *(line for command in every for line in _completions(command))],
    )


def _valued(command: str, options: tuple[Option, ...]) -> Iterator[str]:
    valued = names(option for option in options if option.value)
    if valued:
        yield f"        case {_quote(command)}"
        yield f"            string split ' ' -- {_quote(valued)}"


def _global_completions() -> Iterator[str]:
    for option in global_options():
        yield _option(option, _at("") if is_version(option) else "")


def _completions(command: Command) -> Iterator[str]:
    yield ""
    yield f"complete -c pisess -n {_at('')} -a {command.name} -d {_quote(command.summary)}"
    for option in command.options:
        yield _option(option, _at(command.name))
    for number, argument in enumerate(command.arguments, 1):
        if source := _source(argument.value):
            here = _at(command.name) if argument.repeatable else _at(f"{command.name} {number}")
            yield f"complete -c pisess -n {here} {source}"


def _option(option: Option, condition: str) -> str:
    parts = ["complete -c pisess", f"-n {condition}" if condition else ""]
    parts += [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    if option.value:
        parts += ["-r" if option.value.kind == "file" else "-x", _source(option.value)]
    return " ".join(part for part in (*parts, f"-d {_quote(option.help)}") if part)


def _source(value: Value) -> str:
    if value.kind == "words":
        return f"-a {_quote(' '.join(value.words))}"
    return _SOURCES.get(value.kind, f"-k -a '(__pisess_values {value.kind})'")


def _at(command: str) -> str:
    return _quote(f"__pisess_at {command}" if command else '__pisess_at ""')


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", r"\'")
    return f"'{escaped}'"
