import pytest

from pisess_cli.view.cells import cut, width


@pytest.mark.parametrize(
    ("text", "columns"), [("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("数据", 4), ("🙂", 2), ("␛", 1), ("…", 1)]
)
def test_the_width_is_that_of_a_terminal(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("数据数据", 8, "数据数据"),
        ("数据数据", 7, "数据数…"),
        ("数据数据", 6, "数据 …"),
        ("a🙂b", 3, "a …"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_text_that_does_not_fit_is_cut_and_says_so(text: str, columns: int, shown: str) -> None:
    assert cut(text, columns) == shown


def test_a_flood_of_combining_marks_is_cut() -> None:
    assert len(cut("e" + "\u0301" * 1_000_000, 20)) < 1000
