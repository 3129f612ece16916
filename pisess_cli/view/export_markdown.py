"""An export as Markdown: a heading an entry; what messages hold cannot end a fence, fake a heading, or become a tag."""

import re
from collections.abc import Iterator

from pisess_cli.core.format.entries import Entry
from pisess_cli.core.reports.excerpt import Excerpt, Section
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import EntryRecord, word
from pisess_cli.view.parts import Call, Image, Part, Text, Thinking, entry_parts, kind_name, tool_of
from pisess_cli.view.prose import blocks
from pisess_cli.view.sanitize import safe

_BACKTICKS = re.compile("`+")
_ACTIVE = re.compile(r"([\\`*_\[\]<>#|~!&])")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_TAG = re.compile("<(?=[A-Za-z/!?])")
_CODE_SPAN = re.compile("(`[^`]*`)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}", re.ASCII)
_DEEPER = "##"
"""By so much headings in messages are below those of the page."""


def markdown_page(excerpt: Excerpt, date: DateFormat) -> Iterator[str]:
    """The page, in pieces."""
    header = excerpt.session.header
    yield f"# {inline(safe(excerpt.title))}\n\n"
    facts = {
        "Session": header.id,
        "Directory": header.cwd or "",
        "Started": date.of(header.text("timestamp")),
    }
    for name, text in facts.items():
        if text:
            yield f"- {name}: {code(safe(text))}\n"
    for number, section in enumerate(excerpt.sections()):
        if number:
            yield _branch_heading(section)
        for entry in section.entries:
            yield from _entry(excerpt, entry, date)


def _branch_heading(section: Section) -> str:
    if section.fork is None:
        return "\n# Another beginning\n"
    return f"\n# Branch that forked off behind {code(safe(word(section.fork.id)))}\n"


def _entry(excerpt: Excerpt, entry: Entry, date: DateFormat) -> Iterator[str]:
    record = EntryRecord(entry, excerpt.label_of(entry))
    heading = [kind_name(entry)]
    tool = tool_of(entry)
    if tool:
        heading.append(code(tool[1]))
    if entry.role == "assistant" and record.model:
        heading.append(inline(safe(record.model)))
    if record.label:
        heading.append(f"({inline(safe(record.label))})")
    if tool and tool[2]:
        heading.append("(failed)")
    yield f"\n## {' '.join(heading)}\n\n"
    yield f"{date.of(record.entry.timestamp)} {code(safe(record.id))}\n"
    for part in entry_parts(entry):
        yield f"\n{_part(part)}\n"


def _part(part: Part) -> str:
    if isinstance(part, Text):
        return prose(part.text)
    if isinstance(part, Thinking):
        return "> *Thinking*\n>\n" + "\n".join(f"> {line}".rstrip() for line in prose(part.text).split("\n"))
    if isinstance(part, Call):
        return f"Calls {code(part.line)}" + (f"\n\n{fenced(part.arguments)}" if part.arguments else "")
    if isinstance(part, Image):
        return f"*Image: {inline(part.mime_type)}, {part.size:,} bytes*"
    return fenced(part.text)


def inline(text: str) -> str:
    """One line of text as words of a Markdown line."""
    return _ACTIVE.sub(r"\\\1", text)


def code(text: str) -> str:
    """One line of text as a code span; nothing for nothing."""
    if not text:
        return ""
    fence = "`" * (_longest_run(text) + 1)
    space = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{space}{text}{space}{fence}"


def fenced(text: str, language: str = "") -> str:
    """Text between fences that are longer than any in it."""
    fence = "`" * max(3, _longest_run(text) + 1)
    named = _LANGUAGE.match(language)
    return f"{fence}{named.group() if named else ''}\n{text.rstrip(chr(10))}\n{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text))) if "`" in text else 0


def prose(text: str) -> str:
    """A message's own Markdown, fit to stand in the page.

    Its code is between fences of ours, its headings are deeper than the page's, and it has no HTML and no images,
    which would be loaded from where a message says.
    """
    parts = (
        fenced(block.text, block.language) if block.is_code else _plain(block.text)
        for block in blocks(text)
        if block.is_code or block.text.strip()
    )
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    out: list[str] = []
    for paragraph in re.split(r"\n{2,}", text.strip("\n")):
        lines = paragraph.split("\n")
        has_spans = all(map(_has_whole_spans, lines))
        out.append("\n".join(_line(line, has_spans=has_spans, is_first=not at) for at, line in enumerate(lines)))
    return "\n\n".join(out)


def _has_whole_spans(line: str) -> bool:
    # Where that holds for all lines around, code spans are just what stands between two backticks in a line.
    return line.count("`") % 2 == 0 and not any(mark in line for mark in ("``", "\\`", "|"))


def _line(line: str, *, has_spans: bool, is_first: bool) -> str:
    # A line of dashes or equal signs would make a heading of the line above it.
    underline = None if is_first else _UNDERLINE.fullmatch(line)
    if underline:
        return f"\\{line.strip()}" if underline[1][0] == "=" else f"\n{line}"
    heading = _HEADING.match(line)
    if heading:
        line = f"{_DEEPER}{line.lstrip()}" if len(heading[1]) <= 4 else f"###### {line[heading.end() :].lstrip()}"
    pieces = _CODE_SPAN.split(line) if has_spans else [line]
    return "".join(piece if at % 2 else _inactive(piece) for at, piece in enumerate(pieces))


def _inactive(text: str) -> str:
    # Not by a backslash before them: there may be one already, which would undo it.
    return _TAG.sub("&lt;", text).replace("![", "!\\[")
