"""An export as one HTML page that needs nothing else: no request, no script but its own, all foreign text escaped."""

import base64
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from pisess_cli import __version__
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.reports.excerpt import Excerpt
from pisess_cli.core.reports.usage import UNATTRIBUTED, usage_breakdown, usage_of
from pisess_cli.view.dates import DateFormat
from pisess_cli.view.entry import STYLES, EntryRecord, word
from pisess_cli.view.parts import Call, Image, Output, Part, Text, Thinking, entry_parts, kind_name, tool_of
from pisess_cli.view.placeholders import SHORT_ID
from pisess_cli.view.prose import prose_html
from pisess_cli.view.sanitize import safe

_LONG_TEXT = 20_000
"""Characters from which on a text is folded."""
_BEGINNING = 300
_OPTION_WORDS = 60
_KEYS = (
    ("/", "search; Enter and Shift+Enter go through the hits"),
    ("n p", "next and previous user message"),
    ("j k", "next and previous entry"),
    ("[ ]", "previous and next branch"),
    ("t", "open or fold tools"),
    ("h", "open or fold thinking"),
)


@cache
def _asset(name: str) -> str:
    return (files("pisess_cli.view") / "assets" / name).read_text("utf-8")


def _hash_source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def html_page(excerpt: Excerpt, date: DateFormat) -> Iterator[str]:
    """The page, in pieces, in time and memory that grow with what is shown of the session."""
    page = _Page(excerpt, date)
    yield from _head(safe(excerpt.title))
    yield from page.about()
    yield from page.bar()
    yield '<main id="entries">\n'
    for entry in excerpt.entries:
        yield page.article(entry)
    yield "</main>\n"
    # Numbers alone, so that nothing in it can end the element.
    yield f'<script type="application/json" id="tree">{json.dumps(page.tree(), separators=(",", ":"))}</script>\n'
    yield f"<script>{_asset('page.js')}</script>\n</body>\n</html>\n"


def _head(title: str) -> Iterator[str]:
    # The policy comes first: it governs what follows it.
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash_source(_asset('page.css'))}; "
        f"script-src {_hash_source(_asset('page.js'))}; base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield f'<meta name="generator" content="pisess {__version__}">\n'
    # Without an icon of its own a page is asked for one.
    yield '<link rel="icon" href="data:,">\n'
    yield f"<title>{escape(title)}</title>\n<style>{_asset('page.css')}</style>\n</head>\n<body>\n"


class _Page:
    # What the parts of the page have to know of each other.
    def __init__(self, excerpt: Excerpt, date: DateFormat) -> None:
        self._excerpt = excerpt
        self._date = date
        self._entries = excerpt.entries
        self._place = {entry.key: place for place, entry in enumerate(self._entries)}
        self._calls: dict[str, str] = {}
        # Each entry's number among those with the same parent.
        self._number = {
            child.key: number
            for parent in (None, *self._entries)
            for number, child in enumerate(excerpt.history.children(parent))
        }

    def about(self) -> Iterator[str]:
        header = self._excerpt.session.header
        usage = usage_breakdown(self._excerpt.history.tree.entries)
        tokens, cost = sum(row.tokens for row in usage), sum(row.cost for row in usage)
        facts = {
            "Session": header.id,
            "Directory": header.cwd or "",
            "Started": self._date.of(header.text("timestamp")),
            "Entries": f"{len(self._entries):,}",
            "Models": ", ".join(row.key for row in usage if row.key != UNATTRIBUTED),
            "Tokens": f"{tokens:,.0f}" if tokens else "",
            "Cost": f"${cost:.2f}" if cost else "",
        }
        yield '<a class="skip" href="#entries">Skip to the entries</a>\n<header class="about">\n'
        yield f'<h1>{escape(safe(self._excerpt.title))}</h1>\n<dl class="facts">'
        for name, text in facts.items():
            if text:
                yield f"<div><dt>{name}</dt><dd>{escape(safe(text))}</dd></div>"
        yield "</dl>\n</header>\n"

    def bar(self) -> Iterator[str]:
        first, tips = self._excerpt.tip, self._tips()
        hidden = " hidden" if len(tips) < 2 else ""
        yield '<nav class="bar" id="bar" aria-label="Branches and search" hidden>\n'
        yield f'<label{hidden}><span>Branch</span> <select id="branch">'
        for tip in tips:
            selected = " selected" if first is not None and tip.key == first.key else ""
            yield f'<option value="{self._place[tip.key]}"{selected}>{escape(self._branch_name(tip))}</option>'
        yield "</select></label>\n"
        yield '<div class="search" role="search"><input id="search" type="search" placeholder="Search" '
        yield 'aria-label="Search the entries" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">'
        yield '<output id="hits" for="search" aria-live="polite"></output>'
        yield '<button type="button" id="previous" aria-label="Previous hit" disabled>↑</button>'
        yield '<button type="button" id="next" aria-label="Next hit" disabled>↓</button>'
        yield '<button type="button" id="elsewhere" hidden></button></div>\n'
        yield '<div class="buttons">'
        yield '<button type="button" id="tools" data-folds="tool" aria-pressed="false">Tools</button>'
        yield '<button type="button" id="thoughts" data-folds="thinking" aria-pressed="false">Thinking</button>'
        yield '<details class="keys"><summary>Keys</summary><dl>'
        for keys, text in _KEYS:
            yield f"<dt>{' '.join(f'<kbd>{key}</kbd>' for key in keys.split())}</dt><dd>{text}</dd>"
        yield "</dl></details></div>\n</nav>\n"

    def _tips(self) -> list[Entry]:
        # The branch that is shown first, then those that were written last.
        first = self._excerpt.tip
        others = [tip for tip in reversed(self._excerpt.history.tips) if first is None or tip.key != first.key]
        return others if first is None else [self._entries[self._place[first.key]], *others]

    def _branch_name(self, tip: Entry) -> str:
        record = EntryRecord(tip, self._excerpt.label_of(tip))
        words = safe(record.subject[: 4 * _OPTION_WORDS])
        words = words if len(words) <= _OPTION_WORDS else words[:_OPTION_WORDS] + "…"
        label = f" ({safe(record.label)})" if record.label else ""
        return f"{safe(record.id[:SHORT_ID])}{label} {words}"

    def tree(self) -> dict[str, list[int] | int]:
        """Where each entry's parent stands (-1: none), and where the branch that is shown first ends."""
        above = (self._excerpt.history.parent(entry) for entry in self._entries)
        tip = self._excerpt.tip
        return {
            "parents": [-1 if parent is None else self._place[parent.key] for parent in above],
            "tip": -1 if tip is None else self._place[tip.key],
        }

    def article(self, entry: Entry) -> str:
        class_ = STYLES.get(word(entry.role) or word(entry.type), "other")
        hidden = "" if entry.key in self._excerpt.first_branch else " hidden"
        head = f'<article id="e-{escape(safe(word(entry.id)))}" class="{class_}" tabindex="-1"{hidden}>\n'
        body = "".join(self._body(entry))
        return f'{head}{self._heading(entry)}<div class="body">{body}</div>\n</article>\n'

    def _heading(self, entry: Entry) -> str:
        record = EntryRecord(entry, self._excerpt.label_of(entry))
        name = safe(record.id)
        parts = [f"<h2>{escape(kind_name(entry))}</h2>"]
        if record.label:
            parts.append(f'<span class="label">{escape(safe(record.label))}</span>')
        if entry.role == "assistant" and record.model:
            parts.append(f"<span>{escape(safe(record.model))}</span>")
        parts.append(f"<time>{escape(self._date.of(record.entry.timestamp))}</time>")
        used = usage_of(entry)
        if used and used.tokens:
            parts.append(f"<span>{used.tokens:,.0f} tokens{f', ${used.cost:.4f}' if used.cost else ''}</span>")
        parts.append(f'<a class="id" href="#e-{quote(name, safe="")}">{escape(name[:SHORT_ID])}</a>')
        return f"<header>{''.join(parts)}{self._siblings(entry)}</header>\n"

    def _siblings(self, entry: Entry) -> str:
        history = self._excerpt.history
        siblings = history.children(history.parent(entry))
        if len(siblings) < 2:
            return ""
        number = self._number[entry.key]
        back = self._way(siblings[number - 1] if number else None, "back", "‹", "Earlier branch here")
        on = self._way(siblings[number + 1] if number + 1 < len(siblings) else None, "on", "›", "Later branch here")
        return f'<span class="fork">{back}{number + 1}/{len(siblings)}{on}</span>'

    def _way(self, sibling: Entry | None, way: str, sign: str, label: str) -> str:
        target = " disabled" if sibling is None else f' data-to="{self._place[sibling.key]}"'
        return f'<button type="button" data-way="{way}" aria-label="{label}"{target}>{sign}</button>'

    def _body(self, entry: Entry) -> Iterator[str]:
        tool = tool_of(entry)
        parts = list(entry_parts(entry))
        if tool is None:
            for part in parts:
                yield from self._part(part)
            return
        call_id, name, failed = tool
        line = self._calls.get(call_id, name)
        lines = sum(part.text.rstrip("\n").count("\n") + 1 for part in parts if isinstance(part, Output))
        yield f'<details class="tool"><summary><code>{escape(line)}</code>'
        yield f" · {lines:,} line{'' if lines == 1 else 's'}" if lines else ""
        yield ' · <span class="failed">failed</span></summary>' if failed else "</summary>"
        for part in parts:
            yield from self._part(part)
        yield "</details>"

    def _part(self, part: Part) -> Iterator[str]:
        if isinstance(part, Text):
            if len(part.text) > _LONG_TEXT:
                beginning = f"{part.text[:_BEGINNING].strip()}… ({len(part.text):,} characters)"
                yield f'<details class="long"><summary>{escape(beginning)}</summary>'
                yield from prose_html(part.text)
                yield "</details>"
            else:
                yield from prose_html(part.text)
        elif isinstance(part, Thinking):
            yield f'<details class="thinking"><summary>Thinking</summary><div class="text">{escape(part.text)}</div>'
            yield "</details>"
        elif isinstance(part, Call):
            self._calls[part.call_id] = part.line
            line = f"<code>{escape(part.line)}</code>"
            if part.arguments:
                yield f'<details class="tool"><summary>{line}</summary>{_pre(part.arguments)}</details>'
            else:
                yield f'<div class="call">{line}</div>'
        elif isinstance(part, Image):
            yield from _image(part)
        else:
            yield _pre(part.text)


def _pre(text: str) -> str:
    # A newline right behind the tag does not count.
    return f"<pre>\n{escape(text, quote=False)}</pre>"


def _image(image: Image) -> Iterator[str]:
    caption = f"{image.mime_type or 'image'}, {image.size:,} bytes"
    yield "<figure>"
    if image.data is not None:
        yield f'<img alt="" src="data:{image.mime_type};base64,{image.data}">'
    yield f"<figcaption>{escape(caption)}</figcaption></figure>"
