"""The colours of what pisess shows, one name for each kind of word, and whether there are colours at all.

Only the sixteen basic colours without black and white, so that dark and light backgrounds both do.
"""

from collections.abc import Mapping

STYLES = {
    "id": "33",
    "head": "1;36",
    "label": "1;32",
    "current": "32",
    "user": "1;34",
    "assistant": "35",
    "tool": "36",
    "summary": "1;35",
    "other": "2",
    "date": "2",
    "path": "35",
    "match": "1;31",
    "heading": "1",
    "addition": "32",
    "deletion": "31",
    "warning": "1;33",
    "error": "1;31",
    "hint": "36",
}
"""What a style's name is as SGR parameters."""

_COLORS = ("red", "green", "yellow", "blue", "magenta", "cyan")
SGR = (
    {"reset": "0", "bold": "1", "dim": "2", "italic": "3", "ul": "4", "blink": "5", "reverse": "7", "strike": "9"}
    | {"normal": "39", "black": "30", "white": "37"}
    | {name: str(31 + number) for number, name in enumerate(_COLORS)}
    | {f"bright{name}": str(91 + number) for number, name in enumerate(_COLORS)}
)
"""Git's words for colours and attributes, as people write them in `%C(…)`."""


def paint(text: str, style: str) -> str:
    """The text in a style of `STYLES`, line by line, so that a pager that starts in the middle shows it right."""
    return "\n".join(f"\x1b[{STYLES[style]}m{line}\x1b[0m" if line else "" for line in text.split("\n"))


def wants_color(choice: str, env: Mapping[str, str], *, is_tty: bool) -> bool:
    """Whether to colour: `always` and `never` decide, with `auto` the environment, then whether it is a terminal.

    The environment in this order: NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE (but `0`), TERM=dumb, CLICOLOR=0.
    """
    if choice != "auto":
        return choice == "always"
    if env.get("NO_COLOR"):
        return False
    if any(env.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return is_tty and env.get("TERM") != "dumb" and env.get("CLICOLOR") != "0"
