"""The man pages: what the definitions say, with the hand-written fragments beside it."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from markdown_it.tree import SyntaxTreeNode

from pisess_cli import __version__
from pisess_cli.cli import SECTIONS
from pisess_cli.docs import RELEASED, TOPICS, roff, tables
from pisess_cli.docs.definitions import Command, Option, commands, global_options

FRAGMENTS = Path(__file__).parent / "fragments"

_BEFORE = ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "GLOBAL OPTIONS")
_BEHIND = ("EXAMPLES", "FILES", "ENVIRONMENT", "EXIT STATUS", "SEE ALSO")
_REFERENCE = re.compile(r"([\w.-]+)\((\d)\)")

Lines = dict[str, list[str]]
"""The input for man by the title of the section."""


def pages() -> Iterator[tuple[str, str]]:
    """Every page: its file's name, and what it holds."""
    every = commands()
    yield "pisess.1", _main_page()
    for command in every:
        yield f"pisess-{command.name}.1", _command_page(command)
    for topic, section in TOPICS.items():
        yield f"pisess-{topic}.{section}", _topic_page(topic, section)


def _main_page() -> str:
    generated = {
        "SYNOPSIS": _synopsis(["pisess [OPTIONS] COMMAND [ARGS...]"]),
        "COMMANDS": list(_command_list()),
        "GLOBAL OPTIONS": list(_option_list(global_options())),
        "SEE ALSO": [f"pisess-{topic}({section})" for topic, section in TOPICS.items()],
    }
    return _page("pisess", 1, generated, _fragment("pisess"))


def _command_page(command: Command) -> str:
    name = f"pisess-{command.name}"
    usage = " ".join([f"pisess {command.name} [OPTIONS]", *(argument.metavar for argument in command.arguments)])
    options = [*_option_list(command.options), ".PP", *_global_options_note()]
    see_also = ["pisess(1)"]
    values = [argument.value for argument in command.arguments] + [option.value for option in command.options]
    if any(value is not None and value.kind in ("rev", "session", "label") for value in values):
        see_also.append("pisess-revisions(7)")
    generated = {
        "NAME": [rf"{roff.literal(name)} \- {roff.escape(command.summary[:1].lower() + command.summary[1:])}"],
        "SYNOPSIS": _synopsis([usage]),
        "DESCRIPTION": list(_paragraphs(command.paragraphs)),
        "OPTIONS": options if command.options else options[1:],
        "EXAMPLES": list(roff.example(list(command.examples))) if command.examples else [],
        "SEE ALSO": see_also,
        **tables.sections(command.name),
    }
    return _page(name, 1, generated, _fragment(command.name))


def _topic_page(topic: str, section: int) -> str:
    return _page(f"pisess-{topic}", section, {"SEE ALSO": ["pisess(1)"]}, _fragment(topic), is_topic=True)


def _fragment(name: str) -> dict[str, list[SyntaxTreeNode]]:
    path = FRAGMENTS / f"{name}.md"
    return roff.sections(path.read_text(encoding="utf-8")) if path.exists() else {}


def _page(
    name: str, section: int, generated: Lines, fragment: dict[str, list[SyntaxTreeNode]], *, is_topic: bool = False
) -> str:
    # A fragment adds to what is generated, but its synopsis and what it says in the place of a common text replace it.
    common = {} if is_topic else _fragment("common")
    lines: Lines = {title: list(roff.render(blocks)) for title, blocks in common.items()}
    lines |= generated
    for title, blocks in fragment.items():
        written = list(roff.render(blocks))
        if title == "SYNOPSIS":
            lines[title] = _synopsis(_text(blocks).splitlines())
        elif title == "SEE ALSO":
            lines[title] = [*lines.get(title, []), _text(blocks)]
        elif title in generated and lines[title]:
            lines[title] = [*lines[title], ".PP", *written]
        else:
            lines[title] = written
    own = [title for title in lines if title not in (*_BEFORE, *_BEHIND)]
    header = f'.TH {roff.literal(name.upper())} {section} {RELEASED} "pisess {__version__}" "pisess manual"'
    out = [r".\" Made by python -m pisess_cli.docs from the commands' definitions; do not edit.", header]
    for title in (*_BEFORE, *own, *_BEHIND):
        if lines.get(title):
            out += [f".SH {title}", *(_see_also(lines[title]) if title == "SEE ALSO" else lines[title])]
    return "\n".join(out) + "\n"


def _text(blocks: Iterable[SyntaxTreeNode]) -> str:
    return "\n".join(block.content or "".join(child.content for child in block.children) for block in blocks)


def _synopsis(usages: Iterable[str]) -> list[str]:
    # What is typed stands in bold, what is filled in in italics.
    lines: list[str] = []
    for usage in usages:
        marked = re.sub(
            r"[A-Z][A-Z.]*[A-Z]|\b[A-Z]\b|[a-z0-9-]+|[^A-Za-z0-9-]+",
            lambda word: _usage_word(word[0]),
            usage,
        )
        lines += [".br", marked] if lines else [marked]
    return lines


def _usage_word(word: str) -> str:
    if word[0].isupper():
        return roff.italic(word)
    return roff.bold(word) if word[0].isalnum() or word[0] == "-" else roff.escape(word)


def _paragraphs(paragraphs: Iterable[str]) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ".PP"
        if paragraph.startswith("\b\n"):
            yield from roff.example(paragraph.splitlines()[1:])
        else:
            yield roff.inline(paragraph)


def _option_list(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        names = ", ".join(roff.bold(name) for name in option.names)
        yield ".TP"
        yield f"{names} {roff.italic(option.metavar)}" if option.metavar else names
        yield roff.inline(option.help)


def _global_options_note() -> list[str]:
    return ["The global options are taken too, before the command's name and behind it; see", r".BR pisess (1)."]


def _command_list() -> Iterator[str]:
    for title, names in SECTIONS.items():
        yield f".SS {roff.escape(title)}"
        for name, summary in names.items():
            yield ".TP"
            yield rf".BR pisess\-{roff.literal(name)} (1)"
            yield roff.inline(summary)


def _see_also(references: Iterable[str]) -> list[str]:
    found = dict.fromkeys(_REFERENCE.findall("\n".join(references)))
    names = sorted(found, key=lambda reference: (reference[1], reference[0]))
    commas = [","] * (len(names) - 1) + [""]
    return [
        f".BR {roff.literal(name)} ({section}){comma}" for (name, section), comma in zip(names, commas, strict=True)
    ]
