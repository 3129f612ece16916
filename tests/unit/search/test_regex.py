import pytest

from pisess_cli.core.search.regex import required_literals, stays_in_line


@pytest.mark.parametrize(
    ("expression", "literals"),
    [
        ("needle", ("needle",)),
        ("need.*XYZ", ("need",)),
        (r"a\.b\(c", ("a.b(c",)),
        (r"\bneedle\b", ("needle",)),
        (r"\d+needle\s", ("needle",)),
        (r"\x41bcd", ("bcd",)),
        ("[]abc]needle", ("needle",)),
        ("abcd?e", ("abc",)),
        ("abcd*e", ("abc",)),
        ("abcd+e", ("abcd",)),
        ("abcd{0,3}e", ("abc",)),
        ("abc{d", ("abc{d",)),
        ("error|failure", ("error", "failure")),
        ("error|", ()),
        ("error|.", ()),
        ("(error|failure): x", ("error", "failure")),
        ("(?:error|fail)?: x", (": x",)),
        ("(?P<what>needle)+", ("needle",)),
        ("(needle)*", ()),
        ("(needle)b?", ("needle",)),
        ("a(needle)b", ("needle",)),
        ("(a(bcd(e)?)f)g", ("bcd",)),
        ("(?i)needle", ("needle",)),
        ("(?x)need le", ()),
        ("(?i:needle)", ()),
        ("(?!needle)x", ()),
        ("", ()),
        (r"\d\d", ()),
    ],
)
def test_the_longest_text_that_has_to_be_there_is_known(expression: str, literals: tuple[str, ...]) -> None:
    assert required_literals(expression) == literals


@pytest.mark.parametrize("expression", ["a.c", "^a$", r"\d+\w*\S", "[a-z_]+", r"[\w.\-]", "(a|b)+?", "", r"\bx\B"])
def test_what_matches_no_line_break_stays_in_its_line(expression: str) -> None:
    assert stays_in_line(expression)


@pytest.mark.parametrize(
    "expression", [r"\s", "[^a]", r"\W", r"\D", r"\Aa", r"a\Z", "\n", "\\\n", r"[\s]", "[\0-z]", "(?=a)", r"\n"]
)
def test_what_may_leave_its_line_is_not_said_to_stay(expression: str) -> None:
    assert not stays_in_line(expression)
