import pytest

from pisess_cli.core.context.summary_prompts import (
    SCISSORS,
    branch_template,
    checked_summary,
    compaction_template,
    read_template,
)

TEMPLATE = branch_template("[User]: q")


def test_what_stands_above_the_scissors_is_the_summary():
    assert read_template(f"\n## Goal\nmore\n\n{SCISSORS}\n[User]: q\n", TEMPLATE) == "## Goal\nmore"


def test_the_scissors_may_be_gone():
    assert read_template("all of it\n", TEMPLATE) == "all of it"


def test_editors_that_write_carriage_returns_are_understood():
    assert read_template(f"words\r\n{SCISSORS}\r\nbelow\r\n", TEMPLATE) == "words"


@pytest.mark.parametrize("edited", ["", "\n \n", SCISSORS, TEMPLATE, f"\n{TEMPLATE}\n"])
def test_nothing_written_is_an_empty_summary(edited):
    assert read_template(edited, TEMPLATE) == ""


def test_a_line_that_only_looks_like_scissors_is_text():
    assert read_template(f"a\n> {SCISSORS}\nb", TEMPLATE) == f"a\n> {SCISSORS}\nb"


def test_scissors_in_an_earlier_summary_do_not_cut_it():
    template = compaction_template("[User]: q", f"before\n{SCISSORS}\nafter")

    assert read_template(template.replace("before", "Before"), template) == "Before\n\nafter"


def test_scissors_in_the_conversation_change_nothing():
    template = branch_template(f"[User]: q\n{SCISSORS}\nmore")

    assert read_template(f"words\n{template[template.index(SCISSORS) :]}", template) == "words"


def test_a_summary_has_no_white_space_around_it():
    assert checked_summary("\n a\n\nb \n") == "a\n\nb"
