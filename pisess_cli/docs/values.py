"""How what follows an option, or stands as an argument, is completed: its metavar tells."""

import re
from typing import NamedTuple

import click

from pisess_cli.cli import COMMANDS
from pisess_cli.core.format.entries import ENTRY_TYPES, ROLES
from pisess_cli.docs import TOPICS


class Value(NamedTuple):
    """A kind of value: one that `pisess __complete` finds, or `words`, `file`, `dir`, `program`, `any`."""

    kind: str
    words: tuple[str, ...] = ()


_ANY = Value("any")

BY_METAVAR: dict[str, Value] = {
    "A": Value("rev"),
    "A..B": Value("rev"),
    "B": Value("rev"),
    "COMMAND": Value("program"),
    "COMMAND | TOPIC": Value("words", (*COMMANDS, *TOPICS)),
    "DATE": Value("words", ("today", "yesterday")),
    "DIR": Value("dir"),
    "FILE": Value("file"),
    "FORMAT": _ANY,
    "ID": _ANY,
    "JSON": _ANY,
    "KEY": Value("key"),
    "KEY=VALUE": _ANY,
    "LABEL": Value("label"),
    "MODEL": Value("model"),
    "N": _ANY,
    "NAME": Value("label"),
    "NAME|REV": Value("rev"),
    "OUT": Value("file"),
    "PATH": Value("file"),
    "REGEX": _ANY,
    "REV": Value("rev"),
    "ROLE": Value("words", ROLES),
    "SESSION": Value("session"),
    "STYLE": Value("words", ("relative", "iso", "unix", "format:")),
    "TEXT": _ANY,
    "TOKENS": _ANY,
    "TOOL": Value("tool"),
    "TYPE": Value("words", ENTRY_TYPES),
    "VALUE": _ANY,
}
"""The kind of value by metavar. A command whose metavars all stand here needs nothing else to be completed."""


def value_of(parameter: click.Parameter) -> Value:
    """How a parameter's value is completed: by its choices, or by its metavar or the first word of it.

    Raises `LookupError` for a metavar that is not in the table: whoever adds one decides.
    """
    if isinstance(parameter.type, click.Choice):
        return Value("words", tuple(str(choice) for choice in parameter.type.choices))
    metavar = re.sub(r"[\[\]]|\.\.\.$", "", shown_metavar(parameter)).strip()
    value = BY_METAVAR.get(metavar) or BY_METAVAR.get(re.split(r"[ |]", metavar)[0])
    if value is None:
        raise LookupError(f"BY_METAVAR says nothing of {metavar}, which {parameter.name} has")
    return value


def shown_metavar(parameter: click.Parameter) -> str:
    """A parameter's metavar as man pages show it, its choices where it has none."""
    if parameter.metavar is None and isinstance(parameter.type, click.Choice):
        return "|".join(str(choice) for choice in parameter.type.choices)
    return parameter.metavar or (parameter.name or "").upper()
