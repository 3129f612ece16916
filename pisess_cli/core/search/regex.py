"""What is known of a regular expression of Python's `re` without running it."""

import re
from typing import TypeAlias

Literals: TypeAlias = tuple[str, ...]
"""Texts of which at least one is in everything that matches; none if nothing is known."""
_TOKEN = re.compile(
    r"""
      (?P<flags>\A\(\?[aimsu]+\))
    | (?P<open>\((?:\?:|\?P<\w+>|(?!\?)))
    | (?P<unknown>\(\?)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<optional>[*?]|\{\d*,?\d*\})
    | (?P<repeat>\+)
    | (?P<set>\[\^?\]?(?:[^\]\\]|\\.)*\]|\\(?:\d+|x..|u.{4}|U.{8}|N\{[^}]*\}|[A-Za-z])|[.^$])
    | (?P<literal>\\?.)
    """,
    re.VERBOSE | re.DOTALL,
)
# Sets and anchors that match neither a line break nor something that tells the text's ends from the line's.
_SET_IN_LINE = re.compile(r"[.^$]|\\[dwSbB]|\[(?!\^)\]?(?:[^\]\\\0-\x1f]|\\[dwS]|\\[^0-9A-Za-z\0-\x1f])*\]")


def stays_in_line(pattern: str) -> bool:
    """Whether the pattern, compiled with MULTILINE, matches in a text just what it matches in one of its lines.

    It has to be one that `re` compiles, without VERBOSE and DOTALL. False where that is not plain to see.
    """
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        if token.lastgroup == "unknown" or text.endswith("\n"):
            return False
        if token.lastgroup == "set" and not _SET_IN_LINE.fullmatch(text):
            return False
    return True


class _Level:
    # What is known of the part inside one pair of parentheses, as far as it was read.

    def __init__(self) -> None:
        self.branches: list[Literals] = []
        self.best: Literals = ()
        self.run = ""
        self.group: Literals = ()

    def end_run(self) -> None:
        """What was read last is there for sure, and something else follows."""
        for found in (self.group, (self.run,) if self.run else ()):
            if found and (not self.best or len(min(found, key=len)) > len(min(self.best, key=len))):
                self.best = found
        self.run, self.group = "", ()

    def drop_last(self) -> None:
        """What was read last may be missing."""
        self.run, self.group = self.run[:-1], ()
        self.end_run()

    def end_branch(self) -> None:
        """An alternative begins, or the parenthesis ends."""
        self.end_run()
        self.branches.append(self.best)
        self.best = ()

    @property
    def literals(self) -> Literals:
        """Of the whole part: those of each alternative; none if one has none."""
        return tuple(text for branch in self.branches for text in branch) if all(self.branches) else ()


def required_literals(pattern: str) -> Literals:
    """Texts of which at least one is in whatever the pattern matches; none if none is known.

    Their case is as in the pattern, which may ignore it. The pattern has to be one that `re` compiles, without
    VERBOSE. Where it has lookarounds, conditions or flags of a part, none is known.
    """
    levels = [_Level()]
    for token in _TOKEN.finditer(pattern):
        level = levels[-1]
        kind, text = token.lastgroup, token.group()
        if kind == "unknown":
            return ()
        if kind == "literal":
            if level.group:
                level.end_run()
            level.run += text[-1]
        elif kind == "optional":
            level.drop_last()
        elif kind == "bar":
            level.end_branch()
        elif kind == "close":
            level.end_branch()
            levels.pop()
            levels[-1].group = level.literals
        elif kind != "flags":
            level.end_run()
            if kind == "open":
                levels.append(_Level())
    levels[-1].end_branch()
    return levels[-1].literals
