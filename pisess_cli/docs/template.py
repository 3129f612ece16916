"""The shells' scripts are templates with the definitions filled in."""

from collections.abc import Iterable
from pathlib import Path

from pisess_cli.docs.definitions import Option

_FOLDER = Path(__file__).parent / "templates"


def fill(file_name: str, **parts: Iterable[str]) -> str:
    """The template with each `@NAME@` replaced by the lines of that name, which stand as far in as it does not."""
    text = (_FOLDER / file_name).read_text(encoding="utf-8")
    for name, lines in parts.items():
        text = text.replace(f"@{name}@", "\n".join(lines))
    return text


def names(options: Iterable[Option]) -> str:
    """The names of all options, with spaces between them."""
    return " ".join(name for option in options for name in option.names)


def is_version(option: Option) -> bool:
    """Whether this is the one global option that commands do not take."""
    return "--version" in option.names
