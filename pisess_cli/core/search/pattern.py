"""What a search looks for in a line of text."""

import re
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import FrameType

from pisess_cli.core.errors import PisessError, UsageFault
from pisess_cli.core.search.sieve import Sieve, make_sieve

MOST_SECONDS = 5.0
"""As long as the lines of one block may keep the processor busy."""


class Pattern:
    """A fixed text, or a regular expression as Python's `re` has them, looked for line by line; a line ends at `\\n`.

    Raises `UsageFault` for a text that is no regular expression, or that no line can hold.
    """

    def __init__(self, text: str, *, regex: bool = False, ignore_case: bool = False) -> None:
        if not regex and "\n" in text:
            raise UsageFault(f"the text goes over several lines ({text!r})", hint="each line is searched by itself")
        self.text = text
        self._is_fixed = not regex
        self._finds_by_line = False
        self._compiled = _compiled(text if regex else re.escape(text), re.IGNORECASE if ignore_case else 0)
        if regex:
            from pisess_cli.core.search.regex import stays_in_line

            if self._compiled.flags & (re.VERBOSE | re.DOTALL) or not stays_in_line(text):
                self._finds_by_line = True
            else:
                self._compiled = _compiled(text, self._compiled.flags | re.MULTILINE)
        self._ignores_case = bool(self._compiled.flags & re.IGNORECASE)
        self._is_exact = self._is_fixed and not self._ignores_case

    @cached_property
    def sieve(self) -> Sieve | None:
        """Passes all that can match, by its bytes; None if nothing is known of that."""
        if self._is_fixed:
            return make_sieve((self.text,), ignore_case=self._ignores_case)
        if self._compiled.flags & re.VERBOSE:
            return None
        from pisess_cli.core.search.regex import required_literals

        return make_sieve(required_literals(self.text), ignore_case=self._ignores_case)

    def matching_lines(self, text: str) -> list[str]:
        """The lines of the text that match, whole, without a `\\r` at their end.

        Some regular expressions take for ever on some texts: see `time_limit`.
        """
        if "\r" in text:
            text = text.replace("\r\n", "\n").removesuffix("\r")
        if self._finds_by_line:
            return list(filter(self._compiled.search, text.split("\n")))
        found: list[str] = []
        position = 0
        while position <= len(text) and (start := self._find(text, position)) >= 0:
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            found.append(text[text.rfind("\n", 0, start) + 1 : end])
            position = end + 1
        return found

    def span(self, line: str) -> tuple[int, int] | None:
        """Where the first match in a line starts and ends."""
        found = self._compiled.search(line)
        return found.span() if found else None

    def _find(self, text: str, position: int) -> int:
        if self._is_exact:
            return text.find(self.text, position)
        found = self._compiled.search(text, position)
        return found.start() if found else -1

    @contextmanager
    def time_limit(self) -> Iterator[None]:
        """Raises `PisessError` once the block has kept the processor busy for some seconds; in the main thread only.

        Matching can be stopped because `re` looks for signals meanwhile.
        """
        if self._is_fixed or threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(_number: int, _frame: FrameType | None) -> None:
            raise PisessError(f"the pattern takes too long on some lines ({self.text})", hint="repeat less in it")

        before = signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)


def _compiled(text: str, flags: int) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings(action="ignore"):
            return re.compile(text, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageFault(
            f"not a regular expression: {error} ({text})", hint="without -E the text is taken as it is"
        ) from error
