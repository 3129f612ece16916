"""Every example in a man page runs: in a project with sessions like those that the pages speak of."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from builder import SessionBuilder, call, session
from pisess_cli.docs import man

ROOT = Path(__file__).parents[2]
SPELLINGS = {r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\e": "\\", r"\&": ""}
ENDS_OTHERWISE = {"pisess rm @3": 1, "pisess find -E 'TODO|FIXME' --since '2 weeks ago'": 1}
"""What asks on a terminal and refuses where there is none; and what finds nothing, as the sessions are older."""
PREPARED = {
    "pisess label before-refactor": "pisess label -d before-refactor",
    "pisess branch before-refactor HEAD~2": "pisess label -d before-refactor",
    "pisess label good HEAD~3": "pisess label -d good",
    "pisess checkout '@{-2}'": "pisess checkout good",
    "pisess edit good --restore": "pisess edit good -m instead",
    "git log -1 --format=%B | pisess new -F - --to ../release": "git init -q . && "
    "git -c user.name=me -c user.email=me@home commit -q --allow-empty -m Begin",
}
"""What has to be done before an example makes sense."""
NEEDED = ("git", "jq", "xargs", "zsh")
"""Programs that examples use; where one is missing its examples are skipped, in CI they fail."""


def examples() -> list[pytest.param]:
    found = []
    for name, text in man.pages():
        section = text.partition("\n.SH EXAMPLES\n")[2].partition("\n.SH ")[0]
        for block in re.findall(r"^\.EX\n(.*?)\n\.EE$", section, re.MULTILINE | re.DOTALL):
            spelled = re.sub(r"\\(?:[-e&]|\(..)", lambda found: SPELLINGS[found[0]], block)
            found += [pytest.param(line, id=f"{name}: {line}") for line in spelled.split("\n") if line[:1] != "{"]
    return found


def conversation(project: Path) -> SessionBuilder:
    """A session with all that examples name: labels, a summary, an edit, a checkout, and much to compact."""
    made = session("01997f3e-0000-7000-8000-000000000001", cwd=str(project)).user(
        "Mend the parser, mind the rate limit"
    )
    made.assistant("connection refused: TODO", call("read", path="src/parser.py")).result("connection refused")
    made.compact("So far: the parser.", keep="Mend the parser, mind the rate limit")
    made.user("Is it good?").label("good").assistant("Yes.").label("before-refactor")
    made.user("Another way").assistant("No.").checkout("Yes.")
    for number in range(8):
        made.user(f"Step {number}. {'word ' * 4000}").assistant(f"Done {number}.", call("bash", command="make"))
        made.result("all tests passed")
    return made.name("the parser rewrite")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    project, sessions = home / "project", home / ".pi" / "agent" / "sessions" / "--project--"
    for directory in (project, sessions, home / "src" / "app", home / "other-project", home / "release", home / "bin"):
        directory.mkdir(parents=True)
    (home / ".config" / "fish" / "completions").mkdir(parents=True)
    others = {"throw-away": project, "the parser": project, "third": project}
    for number, (name, cwd) in enumerate(others.items(), 2):
        other = session(f"0199{number:04x}-0000-7000-8000-000000000001", cwd=str(cwd)).user("hi").assistant("yes")
        file = other.name(name).write(sessions / f"{number}.jsonl")
        os.utime(file, (1_772_000_000 - number, 1_772_000_000 - number))
    conversation(project).write(sessions / "1.jsonl")
    session().version(1).user("old").assistant("yes").write(project / "old.jsonl")
    session().user("hi").assistant("yes").torn().write(project / "broken.jsonl")
    (project / "task.md").write_text("Port it.", encoding="utf-8")
    for name, script in {
        "pisess": f'PYTHONPATH={ROOT} exec {sys.executable} -m pisess_cli "$@"',
        "pi": "cat > /dev/null; echo A summary.",
        "less": "cat",
    }.items():
        file = home / "bin" / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
    return project


@pytest.mark.parametrize("example", examples())
def test_an_example_runs(project: Path, example: str) -> None:
    for program in NEEDED:
        if re.search(rf"\b{program}\b", example) and not shutil.which(program):
            reason = f"{program} is not installed"
            pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)
    home = project.parent
    env = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    if "zsh" in example:
        shell = ["zsh", "-f", "-c", f"autoload -Uz compinit; compinit -D -u; {example}"]
    else:
        shell = ["bash", "-o", "pipefail", "-c", f"{PREPARED.get(example, 'true')} && {example}"]

    done = subprocess.run(
        shell, env=env, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == ENDS_OTHERWISE.get(example, 0), done.stderr
    assert "Traceback" not in done.stderr
