"""Runs pisess on hostile inputs in this process, on a terminal that only looks like one, and checks what must hold.

Whatever the file: the run ends with an exit code and words, not with a traceback, and soon; nothing that a terminal
obeys is sent to one; a reading command leaves the file as it is, a writing one only adds lines to it.
"""

import os
import re
import shutil
import time
import traceback
from pathlib import Path

from pisess_cli.core.errors import PisessError
from pisess_cli.core.storage.session_file import first_header
from reliability.here import Outcome, environment_of, inside, run_here
from reliability.inputs import APPENDING, READING, Input

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys or reorders text by; of the controls only tab and newline may pass."""
MOST_SECONDS = 5.0
"""Of processor time, for a file of 64 KiB at most."""
_READING = {line.split()[0] for line in READING} - {line.split()[0] for line in APPENDING}
_REWRITING = ("mv", "migrate")


class Broken(AssertionError):
    """Something that must hold does not; says what, and for which command line."""


class Bench:
    """A home with one session file in it, made anew for every input."""

    def __init__(self, scratch: Path) -> None:
        self._root = scratch / "home"
        self._sessions = self._root / "sessions"
        self._file = self._sessions / "session.jsonl"
        self._project = self._root / "project"

    def check(self, found: Input, *, on_terminal: bool = True, debug: bool = False) -> Outcome:
        """Runs it and gives the outcome. Raises `Broken`; with `debug` whatever pisess raises."""
        self._prepare(found.data)
        words = [str(self._root / "out") if word == "OUT" else word for word in found.words]
        more = {"PISESS_SESSION_DIR": str(self._sessions)} | ({"PISESS_DEBUG": "1"} if debug else {})
        start = time.process_time()
        with inside(self._project, environment_of(self._root, **more)):
            outcome = run_here(["-s", str(self._file), *words], on_terminal=on_terminal)
        seconds = time.process_time() - start
        try:
            if seconds > MOST_SECONDS:
                raise Broken(f"it took {seconds:.0f} s")
            _check_words(outcome, on_terminal=on_terminal)
            self._check_file(found)
        except Broken as broken:
            raise Broken(f"{broken}: {found.words}") from None
        return outcome

    def trace(self, found: Input) -> str:
        """The traceback of an input that is broken, for whoever mends it; empty where there is none."""
        try:
            self.check(found, debug=True)
        except (PisessError, Broken):
            return ""
        except Exception:  # noqa: BLE001 - it is what is looked for
            return traceback.format_exc()
        return ""

    def _prepare(self, data: bytes) -> None:
        shutil.rmtree(self._root, ignore_errors=True)
        self._sessions.mkdir(parents=True)
        (self._project / "elsewhere").mkdir(parents=True)
        self._file.write_bytes(data)

    def _check_file(self, found: Input) -> None:
        is_for_show = "--dry-run" in found.words
        if found.words[0] in _REWRITING and not is_for_show:
            return
        before, after = found.data, self._file.read_bytes()
        if after == before:
            return
        if found.words[0] in _READING or is_for_show:
            raise Broken("a reading command changed the file")
        header, _ = first_header(before, whole=True)
        if header is None:
            raise Broken("what is no session was written to")
        if not after.startswith(before) and not header.is_old:
            raise Broken("a line that was there is not any more")
        if not after.endswith(b"\n"):
            raise Broken("the last line is torn")


def _check_words(outcome: Outcome, *, on_terminal: bool) -> None:
    if outcome.code not in (0, 1, 2):
        raise Broken(f"exit code {outcome.code}")
    err = outcome.err.decode()
    if "internal fault" in err or "Traceback" in err:
        raise Broken(err)
    if outcome.code == 2 and not err:
        raise Broken("wrong usage, but of what?")
    for text in (err, outcome.out.decode()) if on_terminal else (err,):
        sent = OBEYED.search(text)
        if sent:
            raise Broken(f"sent {sent.group()!r} in {text[max(0, sent.start() - 40) : sent.end() + 20]!r}")


def scratch_place() -> str | None:
    """Where files cost least: in memory, if the system has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
