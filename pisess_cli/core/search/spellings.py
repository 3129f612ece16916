"""How a text can stand in the bytes of JSON, as regular expressions over bytes, for `re` and for ripgrep alike.

A character stands as itself in UTF-8 or as an escape. Nearly always it stands as `JSON.stringify` writes it; any other
way is odd.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping

_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_END_OF_CASED = 0x20000
"""From here on no character has an upper and a lower case."""


def stringified(text: str) -> bytes:
    """The text as `JSON.stringify` writes it, without the quotes."""
    return "".join(
        _SHORT_ESCAPES.get(character) or (character if character >= " " else f"\\u{ord(character):04x}")
        for character in text
    ).encode()


def case_forms(text: str) -> dict[str, str]:
    """The text's characters, each with all that `re` takes for equal to it when it ignores case."""
    everything = array("I", range(_END_OF_CASED)).tobytes().decode("utf-32", "surrogatepass")
    characters = sorted(set(text))
    some = "".join(re.findall(f"[{''.join(map(re.escape, characters))}]", everything, re.IGNORECASE))
    forms = {character: "".join(re.findall(re.escape(character), some, re.IGNORECASE)) for character in characters}
    return {character: found or character for character, found in forms.items()}


def plain_pattern(text: str, forms: Mapping[str, str]) -> str:
    """Matches the text in its usual spelling, each character in any of its forms."""
    return "".join(_any_of(map(_literal, forms[character])) for character in text)


def escape_patterns(forms: Mapping[str, str]) -> Iterator[tuple[bytes, str]]:
    """Patterns for the escapes that the characters can stand as; before each of them bytes that all its matches hold.

    They match the escapes of some other characters too: short patterns are quick ones.
    """
    starts = sorted({f"{_first_unit(form):04x}"[:3] for others in forms.values() for form in others})
    mark = b"\\u00" if all(start.startswith("00") for start in starts) else b"\\u"
    yield mark, r"\\u" + _any_of(map(_any_case, starts))
    if "/" in forms:
        yield b"\\/", r"\\/"


def foreign_patterns(forms: Mapping[str, str]) -> Iterator[tuple[bytes, str]]:
    """The same for the forms outside of ASCII that letters of ASCII have: `K` is also the sign of Kelvin."""
    for character, others in forms.items():
        for form in others:
            if character.isascii() and not form.isascii():
                yield form.encode()[:1], _literal(form)


def _first_unit(character: str) -> int:
    return int.from_bytes(character.encode("utf-16-be")[:2])


def _any_case(code: str) -> str:
    return re.sub("[a-f]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", code)


def _literal(character: str) -> str:
    return "".join(
        chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"\\x{byte:02x}"
        for byte in stringified(character)
    )


def _any_of(patterns: Iterable[str]) -> str:
    several = list(patterns)
    letters = [pattern for pattern in several if len(pattern) == 1]
    if len(letters) > 1:
        several = [f"[{''.join(letters)}]", *(pattern for pattern in several if len(pattern) > 1)]
    return several[0] if len(several) == 1 else f"(?:{'|'.join(several)})"
