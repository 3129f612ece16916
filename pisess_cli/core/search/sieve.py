"""Which lines of a file can hold a text at all, told from their bytes, before anything is decoded."""

import re
from collections.abc import Callable, Iterator, Sequence

from pisess_cli.core.search.spellings import case_forms, escape_patterns, foreign_patterns, plain_pattern, stringified
from pisess_cli.core.storage.blocks import Block

_LONG_ENOUGH = 3
_UNKNOWABLE = re.compile("[\ud800-\udfff\ufffd]")
"""Characters that UTF-8 does not have, and the one that stands for broken UTF-8."""


class Sieve:
    """Passes every line that has one of the texts in one of its strings, and some that have not.

    A line passes if a text stands in it as it is usually spelled, or if something stands in it that may be one of the
    characters in another spelling. `pattern` says the same to ripgrep.
    """

    def __init__(self, texts: Sequence[str], *, ignore_case: bool) -> None:
        letters = "".join(texts)
        forms = case_forms(letters) if ignore_case else {letter: letter for letter in letters}
        plain = [plain_pattern(text, forms) for text in texts]
        odd = list(escape_patterns(forms))
        self.pattern = "(?-u)" + "|".join([*plain, *(pattern for _, pattern in odd)])
        # In bytes without their case a part in ASCII has one spelling, and it is enough to look for that.
        parts = [max(re.findall(r"[\0-\x7f]+|$", text), key=len).lower() for text in texts] if ignore_case else texts
        self._folds = ignore_case and len(min(parts, key=len)) >= _LONG_ENOUGH
        if self._folds:
            odd += foreign_patterns(forms)
        by_needle = self._folds or not ignore_case
        self._needles = [stringified(part) for part in parts] if by_needle else []
        self._plain = None if by_needle else re.compile("|".join(plain).encode())
        self._odd = [(mark, re.compile(pattern.encode())) for mark, pattern in odd]

    def lines(self, block: Block) -> list[tuple[int, int]]:
        """Where the lines begin and end that pass, in order."""
        buffer, size = block
        finders = [_pattern_finder(self._plain, buffer, size)] if self._plain else []
        if self._needles:
            data = block.copy(0, size).lower() if self._folds else buffer
            finders += [_needle_finder(needle, data, size) for needle in self._needles]
        finders += [
            _pattern_finder(pattern, buffer, size) for mark, pattern in self._odd if buffer.find(mark, 0, size) >= 0
        ]
        starts = {start for find in finders for start in _line_starts(block, find)}
        return [(start, block.line_end(start)) for start in sorted(starts)]


def make_sieve(texts: Sequence[str], *, ignore_case: bool) -> Sieve | None:
    """A sieve for texts without line breaks, or None where bytes cannot tell."""
    if not texts or not all(texts) or _UNKNOWABLE.search("".join(texts)):
        return None
    return Sieve(texts, ignore_case=ignore_case)


_Find = Callable[[int], int]
"""Where something stands at or after a position, -1 if nowhere."""


def _needle_finder(needle: bytes, data: bytes | bytearray, size: int) -> _Find:
    return lambda start: data.find(needle, start, size)


def _pattern_finder(pattern: re.Pattern[bytes], buffer: bytearray, size: int) -> _Find:
    def find(start: int) -> int:
        found = pattern.search(buffer, start, size)
        return found.start() if found else -1

    return find


def _line_starts(block: Block, find: _Find) -> Iterator[int]:
    position = 0
    while (found := find(position)) >= 0:
        yield block.line_start(found)
        position = block.line_end(found)
