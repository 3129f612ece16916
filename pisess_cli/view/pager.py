"""The program that long output is read in."""

from collections.abc import Mapping
from contextlib import suppress

DEFAULT_COMMAND = "less -FRX"


def pager_command(env: Mapping[str, str], configured: str | None) -> str | None:
    """The command of PISESS_PAGER, else the configured one, else PAGER, else less; None where that is `""` or `cat`."""
    candidates = (env.get("PISESS_PAGER"), configured, env.get("PAGER"), DEFAULT_COMMAND)
    command = next(candidate for candidate in candidates if candidate is not None).strip()
    return None if command in ("", "cat") else command


class Pager:
    """A running pager; what is written goes to it.

    It is started without a shell, and reads UTF-8 in colour whatever the locale, unless the user's LESS says otherwise.
    Raises `OSError` if there is no such program, `ValueError` if the command's quotes do not close.
    """

    def __init__(self, command: str, env: Mapping[str, str]) -> None:
        import shlex
        from subprocess import PIPE, Popen

        defaults = {"LESS": "FRX", "LV": "-c", "LESSCHARSET": "utf-8"}
        self._process = Popen(shlex.split(command), stdin=PIPE, env=defaults | dict(env))  # noqa: S603 - the user's own program

    def write(self, data: bytes) -> None:
        """Hands bytes over at once. Raises `BrokenPipeError` when the reader has quit."""
        if self._process.stdin:
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def close(self) -> None:
        """Says that there is no more and waits, through interrupts, until the reader is done."""
        with suppress(BrokenPipeError, KeyboardInterrupt):
            if self._process.stdin:
                self._process.stdin.close()
        while True:
            with suppress(KeyboardInterrupt):
                self._process.wait()
                return
