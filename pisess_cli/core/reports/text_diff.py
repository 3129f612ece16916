"""A unified diff of two texts, in time that grows with their lines, whatever these are."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import Literal, NamedTuple, TypeAlias

_AROUND = 3
_SMALL = 40_000
"""Up to so many pairs of lines are compared each with each."""
_DEEPEST = 24
_Pair: TypeAlias = tuple[int, int]
"""The places of a line in the one text and in the other."""


class DiffLine(NamedTuple):
    """A line of a diff; `@` stands before the head of a hunk."""

    mark: Literal["@", " ", "-", "+"]
    text: str


def unified_diff(one: Sequence[str], other: Sequence[str]) -> Iterator[DiffLine]:
    """What differs, with three equal lines around it, in hunks as `diff -u` gives them; nothing for equal texts."""
    for group in _Matcher(one, other).get_grouped_opcodes(_AROUND):
        (_, start, _, other_start, _), (_, _, end, _, other_end) = group[0], group[-1]
        yield DiffLine("@", f"@ -{_span(start, end)} +{_span(other_start, other_end)} @@")
        for kind, first, last, other_first, other_last in group:
            if kind == "equal":
                yield from (DiffLine(" ", line) for line in one[first:last])
            else:
                yield from (DiffLine("-", line) for line in one[first:last])
                yield from (DiffLine("+", line) for line in other[other_first:other_last])


def _span(start: int, end: int) -> str:
    # Counted from 1; where there are no lines, the one before them is named.
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


class _Matcher(SequenceMatcher[str]):
    # As the library's, but for how equal lines are found: that may take it the square of the lines, and more.
    def __init__(self, one: Sequence[str], other: Sequence[str]) -> None:
        super().__init__()
        self._texts = one, other

    def get_matching_blocks(self) -> list[Match]:
        one, other = self._texts
        blocks: list[Match] = []
        for place, other_place in sorted(_equal_lines(one, other)):
            last = blocks[-1] if blocks else Match(0, 0, 0)
            if (last.a + last.size, last.b + last.size) == (place, other_place):
                blocks[-1:] = [Match(last.a, last.b, last.size + 1)]
            else:
                blocks.append(Match(place, other_place, 1))
        return [*blocks, Match(len(one), len(other), 0)]


def _equal_lines(one: Sequence[str], other: Sequence[str]) -> Iterator[_Pair]:
    # Patience diff: the lines that occur once on both sides divide the texts, again and again. What has no such lines
    # is compared line by line if it is small, else it counts as different.
    todo = [((0, 0), (len(one), len(other)), 0)]
    while todo:
        (start, other_start), (end, other_end), depth = todo.pop()
        while start < end and other_start < other_end and one[start] == other[other_start]:
            yield start, other_start
            start, other_start = start + 1, other_start + 1
        while start < end and other_start < other_end and one[end - 1] == other[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            yield end, other_end
        here, there = one[start:end], other[other_start:other_end]
        anchors = list(_anchors(here, there)) if depth < _DEEPEST else []
        if anchors:
            ends = [(start + place, other_start + other_place) for place, other_place in anchors]
            parts = zip([(start, other_start), *ends], [*ends, (end, other_end)], strict=True)
            todo += [(first, last, depth + 1) for first, last in parts]
        elif len(here) * len(there) <= _SMALL:
            for block in SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks():
                yield from ((start + block.a + at, other_start + block.b + at) for at in range(block.size))


def _anchors(one: Sequence[str], other: Sequence[str]) -> list[_Pair]:
    # As many as possible of the lines that occur once on both sides, in an order that is that of both.
    there = _single_lines(other)
    return _longest_rising([(place, there[line]) for line, place in _single_lines(one).items() if line in there])


def _single_lines(lines: Sequence[str]) -> dict[str, int]:
    counts = Counter(lines)
    return {line: place for place, line in enumerate(lines) if counts[line] == 1}


def _longest_rising(pairs: Sequence[_Pair]) -> list[_Pair]:
    # For each length of a rising run, the lowest place that one can end with, and the pair that it ends with.
    lowest: list[int] = []
    ending: list[int] = []
    before: list[int | None] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(lowest, place)
        before.append(ending[length - 1] if length else None)
        lowest[length : length + 1] = [place]
        ending[length : length + 1] = [index]
    run: list[_Pair] = []
    current = ending[-1] if ending else None
    while current is not None:
        run.append(pairs[current])
        current = before[current]
    return run[::-1]
