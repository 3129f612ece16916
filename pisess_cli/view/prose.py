"""Foreign text as HTML: escaped, with no more than what Markdown means by its marks shown beside them.

The text stays as it was written, marks and all; no link, image or tag comes of it. Linear in the text, however it is.
"""

import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_MARKS = re.compile(r"^#{1,6} [^\n]*|`[^`\n]+`|\*\*[^*\n]+\*\*", re.MULTILINE)
_LANGUAGE_LENGTH = 20


class Block(NamedTuple):
    """Lines of a text: prose, or code without the fence around it (`language` is empty where the fence names none)."""

    text: str
    is_code: bool
    language: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The text as prose and fenced code, in order; a fence that is never closed goes on to the end."""
    lines: list[str] = []
    fence = language = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        opens = not fence and found is not None and not (found[1][0] == "`" and "`" in found[2])
        closes = fence and found is not None and found[1].startswith(fence) and not found[2].strip()
        if not (opens or closes):
            lines.append(line)
            continue
        yield Block("\n".join(lines), bool(fence), language)
        lines = []
        fence, language = (found[1], found[2].strip()) if opens and found else ("", "")
    yield Block("\n".join(lines), bool(fence), language)


def prose_html(text: str) -> Iterator[str]:
    """The text as HTML, in pieces."""
    for block in blocks(text):
        if block.is_code:
            language = block.language[:_LANGUAGE_LENGTH]
            attribute = f' data-language="{escape(language)}"' if language else ""
            yield f"<pre{attribute}><code>{escape(block.text)}</code></pre>"
        elif block.text.strip():
            yield f'<div class="text">{_MARKS.sub(_mark, escape(block.text.strip(chr(10)), quote=False))}</div>'


def _mark(found: re.Match[str]) -> str:
    text = found.group()
    if text[0] == "`":
        return f"<code>{text[1:-1]}</code>"
    return f'<strong class="head">{text}</strong>' if text[0] == "#" else f"<strong>{text}</strong>"
