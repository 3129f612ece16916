"""Foreign text made safe to show: what would steer a terminal, hide, or reorder text is spelled out instead.

The spelling is one rule. Where Unicode has a picture of a control character, that is shown (`␛` for ESC, `␡` for DEL):
one cell wide, and hardly ever in the text itself, while `\\x1b` stands in source code all the time. Every other
character is named by its code point, `<U+202E>`. Both can be read back.
"""

import re
from collections.abc import Callable
from functools import cache

# C0 (but tab and newline), DEL, C1, and Unicode's Default_Ignorable_Code_Point: bidi marks and overrides, zero-width
# characters, fillers, joiners, variation selectors, tags; then line and paragraph separators, interlinear annotation
# and lone surrogates.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_ASCII_CONTROLS = [chr(code) for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n"]

# What makes emoji and scripts look right, together with the character before it: a joiner between two characters
# beyond ASCII, a variation selector on one, the tags of a subdivision's flag. Elsewhere they only hide something.
_VARIATION = "[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_HARMLESS = (
    rf"[^\x00-\x7f\s]{_VARIATION}?[\u200c\u200d](?=[^\x00-\x7f\s])"
    rf"|[^\x00-\x7f\s]{_VARIATION}"
    "|[0-9#*][\ufe0e\ufe0f]"
    "|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
)


def safe(text: str, *, newlines: bool = False) -> str:
    """The text with nothing in it that a terminal obeys, hides or reorders; printable text comes back as it is.

    One line comes out: tabs are spaces, newlines are shown (`␊`). With `newlines` both stay, and a Windows line end
    is a newline. Never fails, whatever the text, and changes nothing when used twice.
    """
    if text.isascii() and text.isprintable():
        return text
    unbroken = text.replace("\r\n", "\n") if newlines else text.replace("\t", " ").replace("\n", "␊")
    if unbroken.isascii() and unbroken.replace("\n", "").replace("\t", "").isprintable():
        return unbroken
    return spell_hidden(unbroken, _name)


def spell_hidden(text: str, spell: Callable[[str], str]) -> str:
    """The text with `spell(character)` for each hidden character; tabs, newlines and what emoji need are left."""
    hidden_run = _hidden_run()
    if not hidden_run.search(text):
        return text
    # The ones that there may be millions of, in coloured output of programs, and that no neighbour makes harmless.
    for control in _ASCII_CONTROLS:
        if control in text:
            text = text.replace(control, spell(control))
    spelling = _Spelling(spell)
    harmless_at = re.compile(_HARMLESS).match

    def replace(run: re.Match[str]) -> str:
        start, end = run.span()
        harmless = harmless_at(text, start - 1) if start else None
        return run.group() if harmless and harmless.end() == end else run.group().translate(spelling)

    return hidden_run.sub(replace, text)


@cache
def _hidden_run() -> re.Pattern[str]:
    return re.compile(f"[{_HIDDEN}]+")


class _Spelling(dict[int, str]):
    # A table for `str.translate` that fills as it is used.
    def __init__(self, spell: Callable[[str], str]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, code: int) -> str:
        self[code] = self._spell(chr(code))
        return self[code]


def first_line(text: str) -> str:
    """The first line that is not blank, without white space around it, not yet safe; `""` if there is none."""
    found = re.search(r"\S[^\n]*", text)
    return found.group().rstrip() if found else ""


def _name(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
