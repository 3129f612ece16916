"""`--json`: one value a line.

In a pipe the value goes out as it is. On a terminal what could steer it is written as a JSON escape: the same value.
"""

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.javascript import JsonValue
from pisess_cli.view.sanitize import spell_hidden
from pisess_cli.view.terminal import Terminal


def write_json(terminal: Terminal, value: JsonValue) -> None:
    """Writes the value as one line."""
    if terminal.is_tty:
        terminal.line(_shown(jsonl.stringify(value)))
    else:
        terminal.write_bytes(jsonl.encode(value) + b"\n")


def write_stored_line(terminal: Terminal, line: bytes) -> None:
    """Writes a line of a session file, given without its newline: in a pipe byte for byte as it stands there."""
    if terminal.is_tty:
        terminal.line(_shown(line.decode("utf-8", "replace")))
    else:
        terminal.write_bytes(line + b"\n")


def _shown(text: str) -> str:
    # Control characters below a space stand between JSON's tokens only, where they are white space.
    return spell_hidden(text.replace("\r", " "), _escape)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
