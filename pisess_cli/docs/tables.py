"""Sections of man pages that are tables in the code already: they are written down once."""

from collections.abc import Iterator

from pisess_cli.core.copies.findings import CODES
from pisess_cli.core.store.settings import KEYS, Key
from pisess_cli.docs import roff


def sections(command: str) -> dict[str, list[str]]:
    """The input for man of a command's own tables, by the title of the section."""
    if command == "fsck":
        return {"CODES": list(_codes())}
    if command == "config":
        return {"KEYS": list(_keys())}
    return {}


def _codes() -> Iterator[str]:
    for name, code in CODES.items():
        yield ".TP"
        yield roff.bold(name)
        yield roff.inline(f"{code.severity.capitalize()}: {code.meaning}.")
        if code.repair:
            yield roff.inline(f"A repair {code.repair}.")


def _keys() -> Iterator[str]:
    for name, key in KEYS.items():
        yield ".TP"
        yield roff.bold(name)
        yield roff.inline(f"{key.about[:1].upper()}{key.about[1:]}{_more(key)}.")
    yield ".TP"
    yield rf"{roff.bold('alias.')}{roff.italic('NAME')}"
    yield roff.inline("A command line of pisess, without `pisess`, under a name of your own.")


def _more(key: Key) -> str:
    choices = ", ".join(f"`{choice}`" + ("..." if choice.endswith(":") else "") for choice in key.choices)
    parts = [f": {choices}"] if choices else []
    if key.overrides:
        parts.append(f"; {_names(key.overrides)} counts before it")
    if key.fallbacks:
        parts.append(
            f", {_names(key.fallbacks)} after it" if key.overrides else f"; {_names(key.fallbacks)} counts after it"
        )
    if key.default is not None:
        parts.append(f"; by default `{key.default}`")
    return "".join(parts)


def _names(variables: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in variables)
