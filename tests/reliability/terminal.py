"""What steers a terminal never reaches one: every field of a session holds it, every command shows it on a real pty."""

import json
import os
import pty
import re
import subprocess
import sys
import termios
import tty
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builder import call, talk
from reliability.bench import OBEYED
from reliability.here import environment_of
from reliability.on_a_pty import MARK

HERE = Path(__file__).resolve().parent
# Titles, colours, cursor moves, links, C1 controls, overrides, isolates, marks, overprinting, separators.
EVIL = (
    "\x1b]0;title\x07\x1b[31m\x1b[2J\x1b]8;;http://x\x1b\\\x9b1A\x90q\x9c"
    "\u202e\u2066\u200f\u061c\r\x08\x7f\x00\u2028\x85 evil"
)
IN_ARGUMENTS = EVIL.replace("\x00", "")
IN_NAMES = IN_ARGUMENTS.replace("/", "")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# What pisess itself sends to draw a progress bar; nothing of it comes from a file.
OWN = re.compile(r"\x1b\[(?:\?25[lh]|[0-9]*[A-K])|\r")
STRUCTURE = ("type", "role")
IDS = ("id", "parentId", "targetId", "firstKeptEntryId", "toolCallId")
VARIANTS = [
    (STRUCTURE, "never", "C.UTF-8"),
    ((*STRUCTURE, *IDS), "always", "C"),
    ((), "never", "C"),
    ((*IDS,), "always", "C.UTF-8"),
]
"""What is left as it is, whether there are colours, and the locale."""

VIEWS = """
log
log -p --stat --full --all
log --graph --all --oneline
log --json --full
log --full --format %h|%H|%p|%t|%r|%s|%b|%ad|%T|%c|%m|%d
show HEAD
show --raw HEAD
show --json HEAD
show LEAF
show LEAF~1
show HEAD^{assistant}
show HEAD^{compaction}
show-context
show-context --json
show-context --llm
show-context --explain
show-context --system
show-context --tokens
branch
branch -v
branch --json
branch --tree
label
label --json
name
reflog
reflog --json
rev-parse --all
rev-parse --symbolic HEAD LEAF
stats
stats --by tool
stats --by model --json
stats --by session
stats --by project --all
stats --by day
diff HEAD~2 HEAD
diff -p HEAD~2 HEAD
diff --context HEAD~2 HEAD
diff --json HEAD~2 HEAD
find
find --json
find evil
find -c evil
find -l evil
find --json evil
find --role user evil
fsck
fsck --json
find --secrets
prune --keep HEAD --dry-run
redact HEAD --text EVIL -o OUT
fsck --all
fsck --repair OUT
migrate
export --format markdown --all --full
export --format html
export --format jsonl
compact --dry-run --keep-recent 1
compact -m EVIL --keep-recent 1
checkout --dry-run HEAD~1
checkout HEAD~1
checkout --root -m EVIL
checkout -
branch EVIL
label EVIL
label -f EVIL HEAD~1
undo --dry-run
undo
edit --omit HEAD
edit -m EVIL HEAD
edit --restore HEAD
name EVIL
name
fork --dry-run
fork
fork --at HEAD --json
mv --to . --dry-run
continue
continue --print
append message -m EVIL
append custom --custom-type EVIL
label -d EVIL
show EVIL
log EVIL..HEAD
log --since EVIL
log --date format:EVIL
find --id EVIL
config EVIL EVIL
config date EVIL
new -m EVIL
help EVIL
EVIL
show -s EVIL
show --session-dir EVIL
show -C EVIL
__complete revisions ?
__complete labels ?
__complete sessions ?
__complete tools ?
__complete models ?
""".strip().split("\n")
"""A command line each; EVIL, OUT and ? stand for a text, a file's name, and nothing."""


def everything() -> Any:
    """A session in which every kind of entry and block stands."""
    return (
        talk()
        .custom_message("from an extension", details={"key": "value"})
        .bash("ls -l", "the output")
        .message("user", [{"type": "image", "data": "aGk=", "mimeType": "image/png"}, {"type": "text", "text": "see"}])
        .assistant("Thinking.", call("edit", "call_2", path="a.py", oldText="one", newText="two"), errorMessage="broke")
        .result("done", "call_2", "edit", details={"diff": "-one\n+two"})
        .assistant("", call("bash", "call_3", command="make"), stopReason="error", errorMessage="too long")
        .user("more")
        .compact("a summary", keep="more", details={"readFiles": ["a.py"], "modifiedFiles": ["b.py"]})
        .branch_summary("what was tried", left="more", details={"readFiles": ["c.py"]})
        .user("on")
        .edit("on", "on and on")
        .label("mark", on="more")
        .name("a name")
        .entry("usage", kind="tool", provider="acme", model="one", usage={"totalTokens": 1}, note="why")
        .custom("other", {"key": "value"})
        .entry("from_the_future", anything={"key": ["value"]})
        .entry("message", message={"role": "from_the_future", "content": "words"})
        .user("Last words.")
        .assistant("At the very end.")
    )


def poisoned(value: Any, *, keep: Sequence[str]) -> Any:
    """Every text in the value with what is evil around it, also the keys of what tools were given."""
    if isinstance(value, dict):
        return {key: item if key in keep else poisoned(item, keep=keep) for key, item in value.items()} | (
            {EVIL: EVIL} if "path" in value or "command" in value else {}
        )
    if isinstance(value, list):
        return [poisoned(item, keep=keep) for item in value]
    return EVIL + value + EVIL if isinstance(value, str) else value


def poisoned_file(folder: Path, *, keep: Sequence[str]) -> Path:
    made = everything()
    values = [made.header, *made.values]
    lines = [json.dumps(poisoned(value, keep=("type" if n == 0 else "", *keep))) for n, value in enumerate(values)]
    file = folder / f"{IN_NAMES}.jsonl"
    file.write_text("\n".join([*lines, '{"torn": "' + "\x1b[31m evil"]), encoding="utf-8")
    return file


def shown_on_a_terminal(lines: list[list[str]], cwd: Path, environment: dict[str, str]) -> list[str]:
    """What the terminal got, by command line."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    termios.tcsetwinsize(slave, (50, 120))
    command = [sys.executable, str(HERE / "on_a_pty.py"), json.dumps(lines)]
    with subprocess.Popen(command, cwd=cwd, env=environment, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        got = b""
        while part := _read(master):
            got += part
        process.wait(timeout=60)
    os.close(master)
    if process.returncode:
        raise Sent(f"it ended too early: {got[-2000:]!r}")
    # Bytes that are no UTF-8 come from nowhere: a C1 control would be one as a single byte.
    parts = got.decode().split(MARK)[1:]
    return [part.partition("\n")[2] for part in parts]


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""  # the other side is closed


class Sent(AssertionError):
    """Something that steers a terminal was sent to it."""


def run(scratch: Path, *, full: bool) -> dict[str, int]:
    """All commands in all variants; gives the figures. Raises `Sent`."""
    figures = {"command lines on a pty": 0, "evil texts in the file": 0, "characters read": 0, "controls sent": 0}
    for number, (keep, colours, locale) in enumerate(VARIANTS if full else VARIANTS[1:3]):
        home = scratch / f"{number}{IN_NAMES}"
        home.mkdir()
        file = poisoned_file(home, keep=keep)
        figures["evil texts in the file"] += file.read_text(encoding="utf-8").count("evil")
        words = {"EVIL": IN_ARGUMENTS, "OUT": str(home / "out"), "?": ""}
        lines = [[words.get(word, word) for word in line.split(" ")] for line in VIEWS]
        chosen = [line if line[0] == "__complete" else ["-s", str(file), "--color", colours, *line] for line in lines]
        more = {"PISESS_SESSION_DIR": str(home), "LC_ALL": locale, "TERM": "xterm-256color"}
        environment = environment_of(home, **more, PYTHONPATH=os.pathsep.join(sys.path))
        del environment["NO_COLOR"]
        shown = shown_on_a_terminal(chosen, home, environment)
        for line, text in zip(VIEWS, shown, strict=True):
            _check(line, text)
        figures["command lines on a pty"] += len(lines)
        figures["characters read"] += sum(map(len, shown))
        with_words = sum("evil" in text for text in shown)
        if with_words < len(lines) / 2:
            raise Sent(f"only {with_words} of {len(lines)} commands have shown anything of the file")
    return figures


def _check(line: str, text: str) -> None:
    if "internal fault" in text:
        raise Sent(f"{line}: {text}")
    left = OWN.sub("", COLOURS.sub("", text))
    sent = OBEYED.search(left)
    if sent:
        raise Sent(f"{line} sent {sent.group()!r}: {left[max(0, sent.start() - 80) : sent.end() + 80]!r}")
