import json
import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from pisess_cli.view.jsonout import _shown
from pisess_cli.view.sanitize import safe

JOINERS = "\u200c\u200d"
VARIATIONS = re.compile("[\ufe00-\ufe0f\u180b-\u180d\u180f\U000e0100-\U000e01ef]")
# Format characters that are signs with a shape of their own (Arabic number signs and the like).
SHAPED = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]")
TRICKY = (
    "\x1b\x07\r\n\t\x7f\x9b\u202e\u200e\u200c\u200d\ufe0f\ufeff\u2028\ud83d\udc00\U000e0061\U000e007f\U0001f3f4❤é1a "
)

anything = st.text(st.one_of(st.characters(), st.characters(categories=["Cc", "Cf", "Cs"]), st.sampled_from(TRICKY)))
flag = st.sampled_from(["\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f", "🏳️‍🌈", "1️⃣", "नि‍"])
foreign = st.lists(anything | flag).map("".join)


def commands_to_a_terminal(text: str, allowed: str) -> list[str]:
    """What of the text steers, reorders or hides, wherever it stands."""
    return [
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and character not in allowed
        and not SHAPED.match(character)
        and not "\U000e0020" <= character <= "\U000e007f"
    ]


@given(foreign)
def test_one_line_of_safe_text_holds_no_control_character(text: str) -> None:
    assert commands_to_a_terminal(safe(text), JOINERS) == []


@given(foreign)
def test_safe_text_of_many_lines_holds_no_control_but_tab_and_newline(text: str) -> None:
    assert commands_to_a_terminal(safe(text, newlines=True), JOINERS + "\t\n") == []


@given(foreign)
def test_joiners_and_selectors_are_left_only_one_at_a_time_and_tags_only_in_flags(text: str) -> None:
    shown = safe(text)

    assert not re.search(f"[{JOINERS}]{{2}}", shown)
    assert not re.search(f"{VARIATIONS.pattern}{{2}}", shown)
    assert not re.search(
        "[\U000e0020-\U000e007f]", re.sub("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f", "", shown)
    )


@given(foreign, st.booleans())
@example("é\ufe0f\ufe0f\u200dé", False)
@example("\r\r\n", True)
def test_making_safe_text_safe_changes_nothing(text: str, newlines: bool) -> None:
    once = safe(text, newlines=newlines)

    assert safe(once, newlines=newlines) == once


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Cn"])))
def test_printable_text_comes_back_as_it_is(text: str) -> None:
    hidden_though_printable = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]")
    plain = VARIATIONS.sub("", hidden_though_printable.sub("", text))

    assert safe(plain) == plain


@given(foreign)
def test_safe_text_can_be_written_as_utf8(text: str) -> None:
    safe(text).encode("utf-8")


@given(foreign)
def test_json_on_a_terminal_has_no_control_character_and_is_the_same_value(text: str) -> None:
    shown = _shown(json.dumps(text, ensure_ascii=False))

    assert json.loads(shown) == json.loads(json.dumps(text))
    assert commands_to_a_terminal(shown, JOINERS) == []
