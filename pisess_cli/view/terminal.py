"""Where all output goes: results to stdout, talk to stderr, with what each of them can show.

Text leaves as UTF-8 whatever the locale says. Foreign text has passed `safe()` before it comes here, except in
`note`, `warn`, `hint`, `error` and `path`, which see to it themselves.
"""

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import BinaryIO, TextIO

from pisess_cli.view.pager import DEFAULT_COMMAND, Pager, pager_command
from pisess_cli.view.progress import Progress
from pisess_cli.view.sanitize import safe
from pisess_cli.view.styles import paint, wants_color

PIPE_WIDTH = 80


class Terminal:
    """One run's stdout and stderr.

    `is_tty` is about stdout; `color` and `limit` are what to write there with. `pager` is the configured command.
    """

    def __init__(
        self,
        *,
        color: str = "auto",
        pager: str | None = None,
        use_pager: bool = True,
        quiet: bool = False,
        env: Mapping[str, str] | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        self._env = os.environ if env is None else env
        self._stdout = _Stream(stdout or sys.stdout)
        self._stderr = _Stream(stderr or sys.stderr)
        self.quiet = quiet
        self.is_tty = self._stdout.is_tty
        self.color = wants_color(color, self._env, is_tty=self.is_tty)
        self._error_color = wants_color(color, self._env, is_tty=self._stderr.is_tty)
        self._pager_command = pager_command(self._env, pager) if use_pager and self.is_tty else None
        self._pager: Pager | None = None
        self._paging = False
        self._progress: Progress | None = None
        self._held: list[bytes] = []

    @property
    def width(self) -> int:
        """The columns of the terminal, 80 where there is none."""
        columns = self._env.get("COLUMNS", "")
        if not self.is_tty:
            return PIPE_WIDTH
        return int(columns) if columns.isdecimal() and 0 < int(columns) < 10_000 else self._stdout.columns()

    @property
    def limit(self) -> int | None:
        """The columns to cut lines at, None in a pipe: there nothing is cut."""
        return self.width if self.is_tty else None

    def style(self, text: str, name: str) -> str:
        """The text in a style of `styles.STYLES`, or as it is where there are no colours."""
        return paint(text, name) if self.color else text

    def write(self, text: str) -> None:
        """Writes text as it is. Raises `OSError` when it cannot be, `BrokenPipeError` when nobody reads on."""
        self.write_bytes(_encode(text))

    def line(self, text: str = "", *, end: str = "\n") -> None:
        """Writes a record and its end: a newline, or NUL for `-z`."""
        self.write(text + end)

    def path(self, path: str, *, end: str = "\n") -> None:
        """Writes a file's name: on a terminal made safe, in a pipe byte for byte what the file system knows it by."""
        encoded = _encode_path(path)
        if self.is_tty:
            encoded = _encode(safe(encoded.decode("utf-8", "backslashreplace")))
        self.write_bytes(encoded + end.encode())

    def write_bytes(self, data: bytes) -> None:
        """Writes bytes as they are; for what is in files, only where `is_tty` is false. Raises as `write` does."""
        if not self.is_tty:
            self._stdout.write(data)
            return
        self._hide_progress()
        if self._paging and not self._pager:
            self._start_pager()
        if self._pager:
            self._pager.write(data)
        else:
            self._stdout.write(data)
            self._stdout.flush()

    def flush(self) -> None:
        """Writes what is still held back; the end of every run, so that a full disk is noticed. Raises `OSError`."""
        self._stdout.flush()

    def abandon(self) -> None:
        """Drops what is not written yet, after a write that failed: the interpreter would try again at its end.

        After a `BrokenPipeError` the reader has what it wanted, which is no failure: the exit code is then 0, as
        ripgrep's is, so that `pisess log | head -1` succeeds under `set -o pipefail`.
        """
        self._stdout.abandon()

    @contextmanager
    def paged(self) -> Iterator[None]:
        """What is written inside goes through the pager, if there is one; it starts with the first text.

        A reader who quits early ends the block quietly.
        """
        self._paging = self._pager_command is not None
        try:
            yield
        except BrokenPipeError:
            if not self._pager:
                raise
        finally:
            self._paging = False
            if self._pager:
                self._pager.close()
                self._pager = None
                self._tell(b"".join(self._held))
                self._held.clear()

    def progress(self, total: float | None, label: str, *, clock: Callable[[], float] = monotonic) -> Progress:
        """A counter for long work, shown on stderr when that is a terminal, once it has taken a second."""
        self._hide_progress()
        shown = self._stderr.is_tty and not self.quiet and not self._pager
        self._progress = Progress(total, safe(label), self._stderr.text if shown else None, clock=clock)
        return self._progress

    def note(self, text: str) -> None:
        """Says on stderr what is good to know; not with `quiet`."""
        if not self.quiet:
            self._say("", "", text)

    def warn(self, text: str) -> None:
        """Says on stderr what may be wrong."""
        self._say("pisess: warning: ", "warning", text)

    def hint(self, text: str) -> None:
        """Says on stderr what to do next."""
        self._say("hint: ", "hint", text)

    def error(self, text: str) -> None:
        """Says on stderr what failed."""
        self._say("pisess: ", "error", text)

    def _say(self, prefix: str, style: str, text: str) -> None:
        shown = paint(prefix, style) if prefix and self._error_color else prefix
        message = _encode(f"{shown}{safe(text, newlines=True)}\n")
        # The screen is the pager's while it runs.
        if self._pager:
            self._held.append(message)
        else:
            self._hide_progress()
            self._tell(message)

    def _tell(self, message: bytes) -> None:
        # A message that nobody can read is no reason to fail.
        with suppress(OSError):
            self._stderr.write(message)
            self._stderr.flush()

    def _hide_progress(self) -> None:
        if self._progress:
            self._progress.hide()
            self._progress = None

    def _start_pager(self) -> None:
        command = self._pager_command or DEFAULT_COMMAND
        try:
            self._pager = Pager(command, self._env)
        except (OSError, ValueError):
            self._paging = False
            if command != DEFAULT_COMMAND:
                self.warn(f"the pager does not start ({command})")


class _Stream:
    """Bytes out to one of the process's streams; a stream that the process was started without takes everything."""

    def __init__(self, text: TextIO | None) -> None:
        self.text = text
        # Words of click and of the interpreter go through the text layer: they must not fail in the C locale either.
        if isinstance(text, io.TextIOWrapper):
            text.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        self._bytes: BinaryIO | None = getattr(text, "buffer", None)
        self.is_tty = text is not None and text.isatty()

    def write(self, data: bytes) -> None:
        if self._bytes:
            # With PYTHONUNBUFFERED there is no buffer, and a write may take a part only.
            written = self._bytes.write(data)
            while written < len(data):
                written += self._bytes.write(data[written:])
        elif self.text:
            self.text.write(data.decode("utf-8", "replace"))

    def flush(self) -> None:
        if self.text:
            self.text.flush()

    def columns(self) -> int:
        try:
            return os.get_terminal_size(self.text.fileno()).columns or PIPE_WIDTH if self.text else PIPE_WIDTH
        except (OSError, ValueError):
            return PIPE_WIDTH

    def abandon(self) -> None:
        # What is still in the buffer goes to the null device when the interpreter flushes at its end.
        with suppress(OSError, ValueError):
            if self.text:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, self.text.fileno())
                os.close(null)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _encode_path(path: str) -> bytes:
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _encode(path)
