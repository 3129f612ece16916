"""`pisess help`: the manual on a terminal, the text of `--help` elsewhere."""

import sys
from pathlib import Path

import pexpect
import pytest

from pisess_cli.cli import COMMANDS
from running import Pisess

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_in_a_pipe_the_help_of_a_command_is_that_of_its_option(pisess: Pisess, command: str) -> None:
    assert pisess.ok("help", command).out == pisess.ok(command, "--help").out


def test_without_a_name_it_is_about_pisess(pisess: Pisess) -> None:
    assert pisess.ok("help").out == pisess.ok("--help").out


@pytest.mark.parametrize(("topic", "words"), [("revisions", "@{-1}"), ("format", "firstKeptEntryId")])
def test_in_a_pipe_the_text_of_a_topic_is_printed(pisess: Pisess, topic: str, words: str) -> None:
    assert words in pisess.ok("help", topic).out


def test_an_alias_is_helped_with_by_the_command_behind_it(pisess: Pisess) -> None:
    config = pisess.home / ".config" / "pisess" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[alias]\nlatest = "log -n 1"\n', encoding="utf-8")

    assert pisess.ok("help", "latest").out == pisess.ok("log", "--help").out


def test_an_unknown_command_is_wrong_usage_and_a_similar_one_is_named(pisess: Pisess) -> None:
    said = pisess.fail("help", "chekout", code=2)

    assert said == "pisess: no such command (chekout)\nhint: did you mean checkout?\n"


class Desk:
    """A terminal, and a directory of programs that is all its PATH."""

    def __init__(self, home: Path) -> None:
        self.programs = home / "bin"
        self.programs.mkdir()
        self._env = {"HOME": str(home), "PATH": str(self.programs), "PYTHONPATH": str(ROOT), "TERM": "xterm"}

    def program(self, name: str, script: str) -> None:
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    def shows(self, *words: str) -> str:
        """What the terminal shows of a run that succeeds, up to its end."""
        run = ["-m", "pisess_cli", *words]
        output, code = pexpect.run(
            " ".join([sys.executable, *run]), env=self._env, withexitstatus=True, timeout=30, encoding="utf-8"
        )
        assert code == 0
        return output.replace("\r\n", "\n")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        pytest.param(["help", "log"], "pisess-log.1", id="of a command"),
        pytest.param(["help"], "pisess.1", id="of pisess"),
        pytest.param(["help", "revisions"], "pisess-revisions.7", id="of a topic"),
    ],
)
def test_on_a_terminal_man_shows_the_page(desk: Desk, words: list[str], page: str) -> None:
    desk.program("man", 'echo "man $*"')

    assert desk.shows(*words) == f"man -l {ROOT / 'man' / page}\n"


def test_no_pager_holds_for_man_too(desk: Desk) -> None:
    desk.program("man", 'echo "by $MANPAGER"')

    assert desk.shows("--no-pager", "help", "log") == "by cat\n"


def test_on_a_terminal_without_man_the_text_is_shown(desk: Desk) -> None:
    assert "Usage: pisess log [OPTIONS]" in desk.shows("--no-pager", "help", "log")


def test_where_man_fails_the_text_is_shown(desk: Desk) -> None:
    desk.program("man", "exit 16")

    assert "Usage: pisess log [OPTIONS]" in desk.shows("--no-pager", "help", "log")
