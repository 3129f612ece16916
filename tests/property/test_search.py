"""What is skipped on the way to a hit could not have been one, whatever the text, its spelling and the expression."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hostile
from pisess_cli.core.errors import PisessError
from pisess_cli.core.format.entry_text import searchable_texts
from pisess_cli.core.search import search
from pisess_cli.core.search.hits import Hit
from pisess_cli.core.search.pattern import Pattern
from pisess_cli.core.search.query import Query
from pisess_cli.core.search.regex import required_literals, stays_in_line
from pisess_cli.core.search.spellings import case_forms
from pisess_cli.core.storage import blocks
from pisess_cli.core.storage.session_file import SessionFile
from pisess_cli.core.storage.whole_file import Whole

letters = st.sampled_from(
    [
        *'aAkKsSiIeE1 ./"\\-é',
        "É",
        "ß",
        "ж",
        "Ж",
        "\u212a",
        "\u017f",
        "\u0130",
        "\u0131",
        "🙂",
        "会",
        "\t",
        "\x1b",
        "\u2028",
    ]
)
texts = st.text(letters, max_size=6)


@st.composite
def spelled(draw: st.DrawFn, text: str) -> str:
    """The text as a string of JSON, each character in one of the ways that JSON has for it."""
    out = []
    for character in text:
        units = character.encode("utf-16-be").hex(" ", 2).split()
        escape = "".join(f"\\u{unit}" for unit in units)
        ways = [escape, "".join(f"\\u{unit.upper()}" for unit in units)]
        if character >= " " and character not in '"\\':
            ways.append(character)
        if character in '"\\/':
            ways.append(f"\\{character}")
        if character == "\t":
            ways.append("\\t")
        out.append(draw(st.sampled_from(ways)))
    return '"' + "".join(out) + '"'


def file_of(names: list[str]) -> bytes:
    """A session of names, which stand there as JSON."""
    lines = [f'{{"type":"session_info","id":"x","parentId":null,"name":{name}}}\n' for name in names]
    return hostile.header() + "".join(lines).encode()


words = st.text(letters | st.just("\n"), max_size=12)
named_files = st.lists(words.flatmap(spelled), max_size=5).map(file_of)


@st.composite
def files_with_a_text(draw: st.DrawFn) -> tuple[bytes, str]:
    """A session of names, each in some spelling, and most often a part of one of them in some case."""
    names = draw(st.lists(words, min_size=1, max_size=5))
    line = draw(st.sampled_from([line for name in names for line in name.split("\n")]))
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(line))] * 2)))
    change = draw(st.sampled_from([str, str.swapcase, str.upper, lambda _: draw(texts)]))
    return file_of([draw(spelled(name)) for name in names]), change(line[start:end])


# Expressions of what is in the texts, with all that the two functions on expressions have to understand.
atoms = st.one_of(
    letters.map(re.escape),
    st.sampled_from(
        [".", r"\w", r"\d", r"\s", r"\W", r"\b", "^", "$", "[ak]", "[^a]", r"[\w.]", "[]a]", r"\x61", "(?=a)"]
    ),
)
expressions = st.recursive(
    st.lists(atoms, min_size=1, max_size=3).map("".join),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(st.sampled_from(["({})", "(?:{})", "(?P<a>{})", "(?i:{})"]), inner).map(
            lambda it: it[0].format(it[1])
        ),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,1}", "+?", "*?", "?+"])).map(
            lambda it: f"(?:{it[0]}){it[1]}"
        ),
    ),
    max_leaves=5,
)


def compiled(expression: str, *, ignore_case: bool) -> Pattern:
    try:
        return Pattern(expression, regex=True, ignore_case=ignore_case)
    except PisessError:
        assume(False)
        raise


def found(data: bytes, pattern: Pattern, *, use_ripgrep: bool, block: int = 1 << 20) -> list[str]:
    with (
        TemporaryDirectory() as folder,
        mock.patch.object(search, "_WORTH_RIPGREP_BYTES", 0),
        mock.patch.object(blocks, "_BLOCK", block),
    ):
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        hits: list[Hit] = list(search.search([path], Query(pattern), use_ripgrep=use_ripgrep))
        return [hit.line for hit in hits]


def found_plainly(data: bytes, matches: re.Pattern[str]) -> list[str]:
    """The lines that match, by decoding all and looking at every line."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        values = [entry.value for entry in Whole(SessionFile(path)).entries]
    every = (
        line.removesuffix("\r") for value in values for text in searchable_texts(value) for line in text.split("\n")
    )
    return [line for line in every if matches.search(line)]


@settings(deadline=None)
@given(files_with_a_text(), st.booleans(), st.sampled_from([16, 100, 1 << 20]))
def test_a_text_is_found_in_every_spelling(wanted: tuple[bytes, str], ignore_case: bool, block: int) -> None:
    data, text = wanted
    pattern = Pattern(text, ignore_case=ignore_case)
    plain = re.compile(re.escape(text), re.IGNORECASE if ignore_case else 0)

    assert found(data, pattern, use_ripgrep=False, block=block) == found_plainly(data, plain)


@settings(deadline=None)
@given(named_files, expressions, st.booleans())
def test_an_expression_is_found_in_every_spelling(data: bytes, expression: str, ignore_case: bool) -> None:
    pattern = compiled(expression, ignore_case=ignore_case)
    plain = re.compile(expression, re.IGNORECASE if ignore_case else 0)

    assert found(data, pattern, use_ripgrep=False) == found_plainly(data, plain)


@settings(deadline=None)
@given(hostile.files, st.sampled_from(["i", "fix", "two", "yes", "\u202e", "read", "good"]), st.booleans())
def test_a_text_is_found_in_whatever_stands_in_a_file(data: bytes, text: str, ignore_case: bool) -> None:
    pattern = Pattern(text, ignore_case=ignore_case)
    plain = re.compile(re.escape(text), re.IGNORECASE if ignore_case else 0)

    assert found(data, pattern, use_ripgrep=False, block=300) == found_plainly(data, plain)


needs_ripgrep = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not there")


@needs_ripgrep
@settings(max_examples=60, deadline=None)
@given(files_with_a_text(), st.booleans())
def test_ripgrep_changes_nothing(wanted: tuple[bytes, str], ignore_case: bool) -> None:
    data, text = wanted
    pattern = Pattern(text, ignore_case=ignore_case)

    assert found(data, pattern, use_ripgrep=True) == found(data, pattern, use_ripgrep=False)


@needs_ripgrep
@settings(max_examples=40, deadline=None)
@given(named_files, expressions, st.booleans())
def test_ripgrep_changes_nothing_for_an_expression(data: bytes, expression: str, ignore_case: bool) -> None:
    pattern = compiled(expression, ignore_case=ignore_case)

    assert found(data, pattern, use_ripgrep=True) == found(data, pattern, use_ripgrep=False)


@settings(deadline=None)
@given(expressions, st.data())
def test_whatever_matches_has_one_of_the_required_texts(expression: str, data: st.DataObject) -> None:
    try:
        matching = data.draw(st.from_regex(expression))
    except re.error:
        assume(False)
    literals = required_literals(expression)

    assert not literals or any(literal in matching for literal in literals)


@settings(deadline=None)
@given(expressions, st.text(st.one_of(letters, st.just("\n")), max_size=12))
def test_what_stays_in_its_line_matches_a_text_as_its_lines(expression: str, text: str) -> None:
    assume(stays_in_line(expression))
    try:
        by_line, by_text = re.compile(expression), re.compile(expression, re.MULTILINE)
    except re.error:
        assume(False)

    assert bool(by_text.search(text)) == any(map(by_line.search, text.split("\n")))


@settings(deadline=None)
@given(st.characters(), st.characters())
def test_the_forms_of_a_letter_are_all_that_matches_it(letter: str, other: str) -> None:
    assert (other in case_forms(letter)[letter]) == bool(re.fullmatch(re.escape(letter), other, re.IGNORECASE))
