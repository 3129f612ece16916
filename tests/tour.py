"""The pictures of the README's tour: what a terminal shows, as SVG. `python -m tests.tour` draws them anew.

The sessions are those of `pisess demo`, which are the same each time; dates are shown in UTC.
"""

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

DOCS = Path(__file__).parent.parent / "docs"
COLUMNS = 96
PICTURES = {
    "log": "log --graph --all --oneline",
    "branch": "branch -v --date format:%Y-%m-%d",
    "explain": "show-context --explain",
    "stats": "stats --all --by day --utc",
    "diff": "diff last-field-fixed quotes-done",
}
"""The command lines by the name of their picture."""
SESSIONS = {"explain": "@3"}
"""The session of a picture, where it is not the second one."""


def screen(words: list[str], env: dict[str, str]) -> str:
    """Return what the command writes to a terminal, with its escape sequences."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (200, COLUMNS))
    done = subprocess.Popen([sys.executable, "-m", "pisess_cli", *words], stdout=follower, env=env)
    os.close(follower)
    written = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        written += part
    os.close(leader)
    assert done.wait() == 0
    return written.decode().replace("\r\n", "\n")


def picture(name: str) -> str:
    """Return the picture of a command, as SVG."""
    command = PICTURES[name]
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        # A name of the same length each time: it stands in no picture, but could decide where a line is cut.
        demo = Path(home) / "demo"
        subprocess.run(
            [sys.executable, "-m", "pisess_cli", "-q", "demo", demo], env=env, check=True, capture_output=True
        )
        chosen = ["--session-dir", str(demo / "sessions"), "-s", SESSIONS.get(name, "@2"), "--no-pager"]
        shown = screen([*chosen, *command.split()], env)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ pisess {command}\n{shown}".rstrip()))
    svg = console.export_svg(title=f"pisess {command.split()[0]}", theme=DIMMED_MONOKAI, unique_id=f"pisess-{name}")
    # The fonts would come from elsewhere; every viewer has one of its own.
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    for name in PICTURES:
        (DOCS / f"{name}.svg").write_text(picture(name), encoding="utf-8")


if __name__ == "__main__":
    main()
