import unicodedata

import pytest

from pisess_cli.view.sanitize import first_line, safe, spell_hidden


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "␛[31mred␛[0m", id="colours"),
        pytest.param("\x1b]0;owned\x07", "␛]0;owned␇", id="window title"),
        pytest.param("a\x00b", "a␀b", id="NUL"),
        pytest.param("a\x08b", "a␈b", id="backspace"),
        pytest.param("a\x7fb", "a␡b", id="DEL"),
        pytest.param("\x9b2J", "<U+009B>2J", id="C1"),
        pytest.param("a\u0085b", "a<U+0085>b", id="next line"),
        pytest.param("\u202egnp.exe", "<U+202E>gnp.exe", id="bidi override"),
        pytest.param("\u2066x\u2069", "<U+2066>x<U+2069>", id="bidi isolate"),
        pytest.param("a\u200eb\u200fc\u061c", "a<U+200E>b<U+200F>c<U+061C>", id="bidi marks"),
        pytest.param("pass\u200bword", "pass<U+200B>word", id="zero-width space"),
        pytest.param("\ufeffa", "<U+FEFF>a", id="byte order mark"),
        pytest.param("a\xadb", "a<U+00AD>b", id="soft hyphen"),
        pytest.param("a\u2028b\u2029", "a<U+2028>b<U+2029>", id="separators"),
        pytest.param("a\ufff9b\ufffac\ufffb", "a<U+FFF9>b<U+FFFA>c<U+FFFB>", id="interlinear annotation"),
        pytest.param("a\ud83db", "a<U+D83D>b", id="lone surrogate"),
        pytest.param("hi\U000e0068\U000e0069", "hi<U+E0068><U+E0069>", id="text in tags"),
        pytest.param("a\u3164b", "a<U+3164>b", id="filler"),
    ],
)
def test_what_steers_or_hides_is_spelled_out(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("plain ASCII ~!@#\\x1b", id="ascii"),
        pytest.param("café 数据 naïve e\u0301 ␛ <U+202E>", id="other scripts"),
        pytest.param("🙂 👍🏽 👨‍👩‍👧 👩‍❤️‍👨 🏳️‍🌈", id="emoji joined by ZWJ"),
        pytest.param("1️⃣ #️⃣ ❤️ ☎︎", id="variation selectors"),
        pytest.param("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", id="flag of tags"),
        pytest.param("می‌خواهم क्‍ष", id="joiners in words"),
        pytest.param("葛\U000e0100", id="ideographic variant"),
        pytest.param("\ue0b0 ⠋ \u00a0 \u3000", id="private use, blanks"),
        pytest.param("[bold]not markup[/bold]", id="markup"),
    ],
)
def test_what_people_write_comes_back_as_it_is(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("pass\u200dword", "pass<U+200D>word", id="joiner in ASCII"),
        pytest.param("❤\u200d", "❤<U+200D>", id="joiner at the end"),
        pytest.param("\u200d❤", "<U+200D>❤", id="joiner at the start"),
        pytest.param("❤\u200d\u200d❤", "❤<U+200D><U+200D>❤", id="two joiners"),
        pytest.param("a\ufe0f", "a<U+FE0F>", id="selector on a letter"),
        pytest.param(" \ufe0f", " <U+FE0F>", id="selector on a blank"),
        pytest.param("❤\ufe0f\ufe0e", "❤<U+FE0F><U+FE0E>", id="two selectors"),
        pytest.param("\U0001f3f4\U000e0067", "🏴<U+E0067>", id="tags without their end"),
        pytest.param(
            "\U0001f3f4" + "\U000e0061" * 7 + "\U000e007f",
            "🏴" + "<U+E0061>" * 7 + "<U+E007F>",
            id="a long text in tags",
        ),
    ],
)
def test_joiners_selectors_and_tags_that_shape_nothing_are_spelled_out(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_one_line_stays_one_line() -> None:
    assert safe("a\tb\nc\r\nd\re") == "a b␊c␍␊d␍e"


def test_with_newlines_lines_and_tabs_stay_and_windows_line_ends_are_newlines() -> None:
    assert safe("a\tb\nc\r\nd\re", newlines=True) == "a\tb\nc\nd␍e"


def test_every_control_character_of_unicode_is_spelled_out() -> None:
    controls = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cs", "Zl", "Zp")]

    assert [c for c in controls if c in safe(c)] == []


def test_the_spelling_of_each_character_is_its_own() -> None:
    hidden = [chr(code) for code in range(0x110000) if safe(chr(code)) != chr(code)]
    without_tab = [character for character in hidden if character != "\t"]

    assert len({safe(character) for character in without_tab}) == len(without_tab)


def test_hidden_characters_are_spelled_as_the_caller_wants() -> None:
    assert spell_hidden("a\x1b\u202e\n\tb", lambda character: f"{{{ord(character)}}}") == "a{27}{8238}\n\tb"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one", "one"),
        ("one\ntwo", "one"),
        ("\n  \n  one  \r\ntwo", "one"),
        ("one\u2028still one\ntwo", "one\u2028still one"),
        ("", ""),
        (" \n\t", ""),
    ],
)
def test_the_first_line_is_the_first_one_with_words(text: str, line: str) -> None:
    assert first_line(text) == line
