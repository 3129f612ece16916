from typing import NamedTuple

import pytest

from pisess_cli.core.errors import UsageFault
from pisess_cli.view.dates import date_format
from pisess_cli.view.placeholders import compile_format


class Record(NamedTuple):
    id: str = "0123456789abcdef"
    parent_id: str | None = "fedcba98"
    type: str = "message"
    role: str | None = "user"
    text: str = "First line\nsecond line\n"
    time_ms: float | None = 1772359201678.0
    label: str | None = "start"
    tokens: int | None = 12
    cost: float | None = 0.30000000000000004
    model: str | None = "acme/one"


EMPTY = Record(parent_id=None, role=None, text="", time_ms=None, label=None, tokens=None, cost=None, model=None)


def shown(template: str, record: Record | None = None, *, color: bool = False) -> str:
    return compile_format(template, date=date_format("unix"), color=color)(record or Record())


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("%h", "01234567"),
        ("%H", "0123456789abcdef"),
        ("%p", "fedcba98"),
        ("%t", "message"),
        ("%r", "user"),
        ("%s", "First line"),
        ("%b", "First line\nsecond line\n"),
        ("%ad", "1772359201"),
        ("%at", "1772359201"),
        ("%d", " (start)"),
        ("%T", "12"),
        ("%c", "0.3000"),
        ("%m", "acme/one"),
        ("%n", "\n"),
        ("%x00", "\0"),
        ("%x41%x4a", "AJ"),
        ("%%", "%"),
        ("%%h", "%h"),
        ("%h %s", "01234567 First line"),
        ("", ""),
    ],
)
def test_each_placeholder(template: str, text: str) -> None:
    assert shown(template) == text


def test_ad_is_as_the_date_option_says_and_ar_is_relative() -> None:
    show = compile_format("%ad %ar", date=date_format("format:%Y"), color=False)

    assert show(Record()).startswith("2026 ")
    assert show(Record(time_ms=0.0)).endswith(" years ago")


def test_what_an_entry_lacks_is_empty_and_no_date_a_question_mark() -> None:
    assert shown("[%p%r%s%b%d%T%c%m]", EMPTY) == "[]"
    assert shown("%ad %ar %at", EMPTY) == "? ? ?"


@pytest.mark.parametrize("template", ["%q", "%", "%a", "%ax", "%x", "%x0", "%xgg", "%C", "%C(red", "100%"])
def test_what_is_no_placeholder_stays_as_it_is(template: str) -> None:
    assert shown(template) == template


@pytest.mark.parametrize(
    ("template", "sequence"),
    [
        ("%C(red)", "\x1b[31m"),
        ("%C(bold brightblue)", "\x1b[1;94m"),
        ("%C(bold,green)", "\x1b[1;32m"),
        ("%C(reset)", "\x1b[0m"),
        ("%Cgreen", "\x1b[32m"),
        ("%Creset", "\x1b[0m"),
    ],
)
def test_a_colour_is_there_only_where_there_are_colours(template: str, sequence: str) -> None:
    assert shown(template, color=True) == sequence
    assert shown(template, color=False) == ""


@pytest.mark.parametrize("template", ["%C(mauve)", "%C()", "%C(red mauve)"])
def test_a_colour_that_is_none_is_refused(template: str) -> None:
    with pytest.raises(UsageFault, match="no such colour"):
        shown(template)


@pytest.mark.parametrize("placeholder", ["%h", "%H", "%p", "%t", "%r", "%s", "%b", "%d", "%m"])
def test_all_that_stands_in_the_file_is_made_safe(placeholder: str) -> None:
    evil = "a\x1b[2J\u202e"
    record = Record(id=evil, parent_id=evil, type=evil, role=evil, text=evil, label=evil, model=evil)

    assert "a␛[2J" in shown(placeholder, record)
    assert "\x1b" not in shown(placeholder, record)


def test_a_label_stays_on_its_line() -> None:
    assert shown("%d", Record(label="a\nb")) == " (a␊b)"


def test_nothing_is_asked_of_an_entry_that_no_placeholder_names() -> None:
    class Costly:
        id = "0123456789"

        def __getattr__(self, name: str) -> object:
            raise AssertionError(name)

    assert compile_format("%h", date=date_format("iso"), color=False)(Costly()) == "01234567"  # type: ignore[arg-type]
