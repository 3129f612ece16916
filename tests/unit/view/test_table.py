import io

from pisess_cli.view.cells import width
from pisess_cli.view.table import Cell, Column, Styled, write_table
from pisess_cli.view.terminal import Terminal

COLUMNS = (Column("ID", "id"), Column("N", right=True), Column("WORDS", flexible=True))


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(*rows: tuple[Cell, ...], columns: int = 40, color: str = "never") -> list[str]:
    screen = Screen()
    terminal = Terminal(stdout=screen, stderr=screen, env={"COLUMNS": str(columns)}, color=color, use_pager=False)
    write_table(terminal, COLUMNS, rows)
    return screen.getvalue().split("\n")[:-1]


def piped(*rows: tuple[Cell, ...]) -> str:
    out = io.StringIO()
    write_table(Terminal(stdout=out, stderr=out, env={}), COLUMNS, rows)
    return out.getvalue()


def test_in_a_pipe_cells_are_separated_by_tabs_and_whole() -> None:
    assert piped(("a", "1", "x" * 500), (Styled("b", "label"), "20", "")) == f"a\t1\t{'x' * 500}\nb\t20\t\n"


def test_no_cell_breaks_the_lines_or_columns_of_a_pipe() -> None:
    assert piped(("a\tb", "1", "one\ntwo\x1b")) == "a b\t1\tone␊two␛\n"


def test_in_a_pipe_a_row_is_written_before_the_next_one_is_asked_for() -> None:
    out = io.StringIO()
    seen = []

    def rows():  # type: ignore[no-untyped-def]
        yield ("a", "1", "x")
        seen.append(out.getvalue())
        yield ("b", "2", "y")

    write_table(Terminal(stdout=out, stderr=out, env={}), COLUMNS, rows())

    assert seen == ["a\t1\tx\n"]


def test_on_a_screen_columns_stand_under_their_titles() -> None:
    assert drawn(("abc", "1", "one"), ("d", "200", "two")) == [
        "ID     N  WORDS",
        "abc    1  one",
        "d    200  two",
    ]


def test_wide_characters_line_up() -> None:
    lines = drawn(("数据", "1", "x"), ("🙂b", "1", "x"), ("abcd", "1", "x"))

    assert {width(line.rpartition("x")[0]) for line in lines[1:]} == {9}


def test_the_flexible_column_is_cut_to_the_width_and_no_other() -> None:
    lines = drawn(("a" * 10, "1", "b" * 50))

    assert lines[1] == "a" * 10 + "  1  " + "b" * 24 + "…"


def test_wide_text_is_cut_to_the_width() -> None:
    assert max(map(width, drawn(("a", "1", "数" * 500)))) <= 40


def test_a_flexible_column_keeps_a_least_width() -> None:
    assert drawn(("a" * 60, "1", "b" * 50))[1].endswith("bbbbbbb…")


def test_each_cell_has_its_columns_style_or_its_own() -> None:
    lines = drawn(("a", "1", Styled("x", "label")), color="always")

    assert lines[1] == "\x1b[33ma\x1b[0m   1  \x1b[1;32mx\x1b[0m"


def test_no_rows_are_no_table() -> None:
    assert drawn() == []
