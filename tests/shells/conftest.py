"""Real shells, each in a terminal of its own, with pisess on their PATH and its completions loaded.

bash, zsh and fish are Debian packages of the same names. Where one is missing its tests are skipped, unless CI is set:
then they fail.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pexpect
import pytest

from builder import SessionBuilder, session

ROOT = Path(__file__).parents[2]
COMPLETIONS = ROOT / "completions"
PROMPT = "ready> "
TAB = "\t"
HOME_KEY = "\x01"

ARGUMENTS = {
    "bash": ["--noprofile", "--rcfile", "{rc}", "-i"],
    "zsh": ["-d", "-i"],
    "fish": ["--no-config", "--init-command", "source {rc}"],
}
# `words` prints its arguments as the shell understands them.
START_UP = {
    "bash": r"""
        PS1='ready> '
        bind 'set show-all-if-ambiguous on' 'set page-completions off' 'set enable-bracketed-paste off'
        bind 'set completion-query-items 0'
        source {completions}/pisess.bash
        words() {{ printf '<%s>' "$@"; printf '\nEND\n'; }}
        """,
    "zsh": r"""
        PROMPT='ready> ' LISTMAX=0
        bindkey -e
        fpath=({completions} $fpath)
        autoload -Uz compinit
        compinit -D -u
        words() {{ printf '<%s>' "$@"; printf '\nEND\n' }}
        """,
    "fish": r"""
        function fish_prompt; echo -n 'ready> '; end
        set -g fish_greeting
        source {completions}/pisess.fish
        function words; printf '<%s>' $argv; printf '\nEND\n'; end
        """,
}


class Desk(NamedTuple):
    """A home with a project in it, two sessions of that project, and a directory of programs that comes first."""

    home: Path
    project: Path
    programs: Path
    sessions: Path
    recent: SessionBuilder
    older: SessionBuilder

    def program(self, name: str, script: str) -> None:
        """Puts a program of that name on the PATH."""
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    home = tmp_path / "home"
    project, programs, sessions = home / "project", home / "bin", home / "sessions"
    for directory in (project / "notes", programs, sessions, home / ".config" / "pisess"):
        directory.mkdir(parents=True)
    (project / "summary.md").write_text("Done.", encoding="utf-8")
    (home / ".config" / "pisess" / "config.toml").write_text('[alias]\nlatest = "log -n 1"\n', encoding="utf-8")
    older = session("0a000000-other", cwd=str(project)).user("what is this?").label("first-question")
    recent = session("0b000000-recent", cwd=str(project)).user("fix the parser").assistant("It is fixed.")
    recent.label("good", on="fix the parser").label("good enough", on="It is fixed.").name("parser work")
    for age, made in enumerate((recent, older)):
        file = made.write(sessions / f"2026-03-01T10-00-00-000Z_{made.header['id']}.jsonl")
        os.utime(file, (1_772_359_200 - age, 1_772_359_200 - age))
    desk = Desk(home, project, programs, sessions, recent, older)
    desk.program("pisess", f'PYTHONPATH={ROOT} exec {sys.executable} -m pisess_cli "$@"')
    return desk


class Shell:
    """A shell that waits at its prompt."""

    def __init__(self, name: str, desk: Desk) -> None:
        program = shutil.which(name)
        if program is None:
            reason = f"{name} is not installed"
            pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)
        self.name = name
        rc = desk.home / ".zshrc"
        rc.write_text(START_UP[name].format(completions=COMPLETIONS), encoding="utf-8")
        self._child = pexpect.spawn(
            program,
            [argument.format(rc=rc) for argument in ARGUMENTS[name]],
            cwd=str(desk.project),
            env={
                "HOME": str(desk.home),
                "PATH": f"{desk.programs}:{os.environ['PATH']}",
                "PISESS_SESSION_DIR": str(desk.sessions),
                "TERM": "xterm",
                "LC_ALL": "C.UTF-8",
            },
            dimensions=(50, 160),
            encoding="utf-8",
            timeout=30,
        )
        self._child.delaybeforesend = None
        self._child.expect_exact(PROMPT)

    def complete(self, line: str) -> list[str]:
        """The words of the line after a TAB, as the shell understands them."""
        self._child.send(f"{line}{TAB}{HOME_KEY}words \r")
        self._child.expect(r"(<[^\r\n\x1b]*>)\r\nEND\r\n")
        words = self._child.match[1]
        self._child.expect_exact(PROMPT)
        return words.removeprefix("<").removesuffix(">").split("><")

    def offers(self, line: str, text: str) -> None:
        """Waits until the text is among what two TABs offer; the shell is then no longer at its prompt."""
        self._child.send(f"{line}{TAB}{TAB}")
        self._child.expect_exact(text)

    def close(self) -> None:
        self._child.close(force=True)


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request: pytest.FixtureRequest, desk: Desk) -> Iterator[Shell]:
    started = Shell(request.param, desk)
    yield started
    started.close()
