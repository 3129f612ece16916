"""A copy of a session with some of what is said in it taken out; all else keeps its bytes, and Pi opens it.

What holds a session together is never touched: ids, types, roles, times, the names of models, tools and fields.
Signatures that a provider checks go where what they sign has changed. Lines that are no JSON are left out, since nobody
can tell what they hold; images are not looked into.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pisess_cli.core.copies.trimming import FREE_FIELDS
from pisess_cli.core.format.entries import Entry, Key, map_key
from pisess_cli.core.format.entry_fields import field_bytes
from pisess_cli.core.format.line_strings import Spans, Text, spans, spliced, string_at, string_bytes, strings
from pisess_cli.core.search.pattern import Pattern
from pisess_cli.core.search.secrets import find_secrets
from pisess_cli.core.session.revisions import compile_pattern
from pisess_cli.core.session.session import Session
from pisess_cli.core.storage.whole_file import migrated_lines

NOTE = "[redacted]"
"""Stands in place of what was taken out."""
_STRUCTURE = frozenset(
    (
        "type",
        "id",
        "parentId",
        "timestamp",
        "version",
        "targetId",
        "firstKeptEntryId",
        "fromId",
        "customType",
        "provider",
        "modelId",
        "model",
        "responseModel",
        "responseId",
        "api",
        "kind",
        "role",
        "toolCallId",
        "toolName",
        "stopReason",
        "rawStopReason",
        "thinkingLevel",
        "providerThinkingLevel",
        "mimeType",
        "namespace",
        "status",
        "parameters",
        "toolsRemoved",
    )
)
_SIGNATURES = frozenset(("thinkingSignature", "textSignature", "thoughtSignature"))
_WHOLE_BLOCKS = {
    "text": b'{"type":"text","text":%s}',
    "thinking": b'{"type":"thinking","thinking":%s}',
    "image": b'{"type":"text","text":%s}',
}
_Span = tuple[int, int]
_Edit = tuple[int, int, bytes]


class Words:
    """What is to be taken out: the texts, what the patterns match, and likely secrets if `secrets`.

    The patterns are regular expressions as Python's `re` has them, `^` and `$` at each line's ends. Raises `UsageFault`
    for what is no regular expression.
    """

    def __init__(
        self,
        patterns: Sequence[str] = (),
        texts: Sequence[str] = (),
        *,
        ignore_case: bool = False,
        secrets: bool = False,
    ) -> None:
        self._patterns: list[tuple[Pattern, re.Pattern[str]]] = []
        self._secrets = secrets
        self._given = (*patterns, *texts)
        self._met: set[str] = set()
        for expression in (*patterns, *map(re.escape, texts)):
            flags = compile_pattern(expression, ignore_case=ignore_case).flags
            # The first one is there for its limit of time.
            self._patterns.append((Pattern(expression, regex=True), re.compile(expression, flags | re.MULTILINE)))

    @property
    def unmet(self) -> list[str]:
        """Those of the patterns and texts that were found nowhere so far."""
        return [given for given in self._given if given not in self._met]

    def find(self, texts: Sequence[tuple[str, str | None]]) -> list[list[_Span]]:
        """Where in each of the texts there is something to take out; with each text comes what it is the value of.

        Raises `PisessError` where a pattern takes too long.
        """
        found: list[list[_Span]] = [[] for _ in texts]
        for given, (pattern, compiled) in zip(self._given, self._patterns, strict=True):
            with pattern.time_limit():
                for places, (text, _) in zip(found, texts, strict=True):
                    before = len(places)
                    places.extend(match.span() for match in compiled.finditer(text) if match.group())
                    if len(places) > before:
                        self._met.add(given)
        if self._secrets:
            for places, (text, name) in zip(found, texts, strict=True):
                places.extend((secret.start, secret.end) for secret in find_secrets(text, name))
        return [_merged(places) if len(places) > 1 else places for places in found]


def _merged(places: list[_Span]) -> list[_Span]:
    merged: list[_Span] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class Redaction:
    """A plan for a redacted copy: nothing is written yet. `tick` is told how many bytes were gone through.

    `replaced`: how often something was taken out. `left`: how often the words stand in what holds the session together.
    `unmet`: the patterns and texts that stand nowhere. `unreadable`: how many lines are left out.
    `changes_directory`: whether the header's `cwd` is not what it was.
    """

    def __init__(
        self,
        session: Session,
        chosen: Iterable[Entry] = (),
        words: Words | None = None,
        *,
        header: bytes | None = None,
        tick: Callable[[int], object] | None = None,
    ) -> None:
        self._session = session
        self._words = words
        self._blank = _with_edits(session, chosen)
        self._header = header
        self.replaced = 0
        self.left = 0
        self.unreadable = session.whole.skipped
        self.unmet: list[str] = []
        # What has changed, by its place among the lines: the rest is read again when the copy is written.
        self._changed: dict[int, bytes] = {}
        for place, line in enumerate(self._original()):
            new = self._redacted(*line)
            if new != line[0]:
                self._changed[place] = new
            if tick:
                tick(len(line[0]))
        if words:
            self.unmet = words.unmet
        self.changes_directory = field_bytes(next(self._original())[0], "cwd") != field_bytes(next(self.lines()), "cwd")

    def lines(self) -> Iterator[bytes]:
        """The lines of the copy, each with its newline."""
        for place, (line, _) in enumerate(self._original()):
            yield self._changed.get(place, line)

    def _original(self) -> Iterator[tuple[bytes, Entry]]:
        header = self._header
        for line, entry in migrated_lines(self._session.whole):
            if entry is not None:
                yield header or line, entry
                header = None

    def _redacted(self, line: bytes, entry: Entry) -> bytes:
        if entry.type != "session" and entry.key in self._blank:
            line = self._blanked(line)
        return line if self._words is None else self._without_words(line, self._words)

    def _blanked(self, line: bytes) -> bytes:
        layout = _Layout(line)
        edits = list(layout.whole_blocks())
        for text in layout.texts:
            has_words = not text.is_key and text.end - text.start > len('""')
            if has_words and layout.is_free_to_change(text) and not layout.is_in_whole_block(text):
                new = "" if text.key in _SIGNATURES else NOTE
                edits.append((text.start, text.end, string_bytes(new)))
        self.replaced += len(edits)
        return spliced(line, edits)

    def _without_words(self, line: bytes, words: Words) -> bytes:
        said = list(strings(line))
        found = words.find(said)
        if not any(found):
            return line
        layout = _Layout(line)
        edits: list[_Edit] = []
        touched: set[int] = set()
        for text, (old, _), places in zip(layout.texts, said, found, strict=True):
            if not places or layout.is_image_data(text):
                continue
            if not layout.is_free_to_change(text):
                self.left += len(places)
                continue
            self.replaced += len(places)
            new = "" if text.key in _SIGNATURES and not text.is_key else _replaced(old, places)
            edits.append((text.start, text.end, string_bytes(new)))
            layout.touch(text, touched)
        edits += layout.void_signatures(touched)
        return spliced(line, edits)


def _with_edits(session: Session, chosen: Iterable[Entry]) -> set[Key]:
    # What a context edit puts in an entry's place goes with the entry.
    keys = {entry.key for entry in chosen}
    if keys:
        edits = (entry for entry in session.tree.entries if entry.type == "context_edit")
        keys |= {edit.key for edit in edits if map_key(edit.target_id) in keys}
    return keys


def _replaced(text: str, places: Iterable[_Span]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in places:
        parts += (text[position:start], NOTE)
        position = end
    return "".join((*parts, text[position:]))


class _Layout:
    # The strings of a line, and what each of them is there for.

    def __init__(self, line: bytes) -> None:
        found: Spans = spans(line)
        self.texts = found.texts
        self._containers = found.containers
        self._types = {
            text.container: string_at(line, text.start, text.end)
            for text in found.texts
            if text.key == "type" and not text.is_key
        }
        # Of each container: whether it lies in something free or fixed, what stands for it if it is a block of content,
        # and whether it lies in such a block.
        self._free: list[bool] = []
        self._fixed: list[bool] = []
        self._forms: list[bytes | None] = []
        self._in_block: list[bool] = []
        for place, (_, _, outer, key) in enumerate(found.containers):
            has_outer = outer >= 0
            self._free.append(key in FREE_FIELDS or (has_outer and self._free[outer]))
            self._fixed.append(key in _STRUCTURE or (has_outer and self._fixed[outer]))
            in_content = has_outer and not self._free[place]
            self._forms.append(_WHOLE_BLOCKS.get(self._types.get(place, "")) if in_content else None)
            self._in_block.append(self._forms[place] is not None or (has_outer and self._in_block[outer]))

    def is_image_data(self, text: Text) -> bool:
        return text.key == "data" and self._types.get(text.container) == "image"

    def is_free_to_change(self, text: Text) -> bool:
        if text.container < 0 or self._free[text.container]:
            return True
        if text.is_key or text.key in _STRUCTURE or self._fixed[text.container]:
            return False
        # A session's name is words, that of a tool is not.
        return text.key != "name" or text.container == 0

    def touch(self, text: Text, touched: set[int]) -> None:
        """Adds the containers that the text is in."""
        place = text.container
        while place >= 0 and place not in touched:
            touched.add(place)
            place = self._containers[place].outer

    def void_signatures(self, touched: set[int]) -> Iterator[_Edit]:
        for text in self.texts:
            if text.key in _SIGNATURES and not text.is_key and text.container in touched:
                yield text.start, text.end, b'""'

    def whole_blocks(self) -> Iterator[_Edit]:
        """The blocks that say or show something, each with a note in its place."""
        for container, form in zip(self._containers, self._forms, strict=True):
            if form:
                yield container.start, container.end, form % string_bytes(NOTE)

    def is_in_whole_block(self, text: Text) -> bool:
        return self._in_block[text.container] if text.container >= 0 else False
